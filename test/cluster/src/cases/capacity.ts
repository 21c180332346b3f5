import { openFilm } from '@recording-request/fault-test/contributors/takes';
import { readMeasured } from '@recording-request/load/plan/costs';
import { jobSecondsOf } from '@recording-request/load/plan/plan';
import type { ClusterCase } from '../cluster-case.ts';
import { limitMedia, openSubmissions, QUICKLY, rateOf, scaleMedia, told } from '../product/media-rate.ts';

const TOLERANCE = 0.25;
/**
 * The CPU limit of each of the two pods. Together they use one of the two processors, as in the measurement of `npm run
 * capacity`. Its clips had the same pixels, but other lengths.
 */
const CORES = 0.5;
const REPLICAS = 2;
/** Enough clips that the sampling interval hardly changes the result. */
const CLIPS = 72;
const LENGTHS = [8, 20];
const FILM = { container: 'webm', text: 'this is what I think of it', width: 1280, height: 720 } as const;

export const capacity: ClusterCase = {
  name: 'capacity',
  promise: `media processes as many clips a minute as npm run capacity predicts, within ${100 * TOLERANCE} %, at two points that were not measured`,
  async run(harness, { random }) {
    const { noted, violated } = harness;
    const measured = await readMeasured();
    await using cleaning = new AsyncDisposableStack();
    const connection = await openSubmissions(harness, cleaning);
    cleaning.use(await limitMedia(harness, CORES));
    await scaleMedia(harness, REPLICAS);
    for (const seconds of LENGTHS) {
      const takes = await openFilm({ ...FILM, seconds });
      const mine = random.fork(`${seconds} s`);
      const megabytes = takes(mine).bytes.length / 1e6;
      const load = () => harness.load(CLIPS, mine, { ...QUICKLY, takes });
      const rate = await rateOf(harness, connection, { clips: CLIPS, load });
      const made = rate.clipsPerMinute;
      const said = (60 * REPLICAS) / jobSecondsOf(measured, { seconds, megabytes }, CORES);
      const off = made / said - 1;
      const what = `${REPLICAS} pods of ${1000 * CORES}m, clips of ${seconds} s and ${megabytes.toFixed(2)} MB: ${told(rate, REPLICAS * CORES)}`;
      noted(`${what}, where ${said.toFixed(1)} was predicted: ${off < 0 ? '' : '+'}${(100 * off).toFixed(0)} %`);
      if (Math.abs(off) > TOLERANCE)
        violated(`${what}, more than ${100 * TOLERANCE} % from the predicted ${said.toFixed(1)}`);
    }
  },
};
