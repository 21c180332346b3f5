import { readMeasured } from '@recording-request/capacity/costs';
import { jobSecondsOf } from '@recording-request/capacity/plan';
import { openFilm } from '@recording-request/fault-test/contributors/takes';
import type { ClusterCase } from '../cluster-case.ts';
import { limitMedia, openSubmissions, rateOf, scaleMedia } from '../product/media-rate.ts';

const TOLERANCE = 0.25;
const WIDTH = 4;
/**
 * Neither length was measured; of the same pixels as those that were. Media has one processor of two at both, as where it was measured: one
 * that is less busy does more in a second, as two often share what they compute with.
 */
const POINTS = [
  { replicas: 1, cores: 1, seconds: 8, clips: 36 },
  { replicas: 2, cores: 0.5, seconds: 20, clips: 36 },
] as const;
const FILM = { container: 'webm', text: 'this is what I think of it', width: 1280, height: 720 } as const;

export const capacity: ClusterCase = {
  name: 'capacity',
  promise: `media makes as many clips a minute as npm run capacity says, within ${100 * TOLERANCE} %, at two points that were not measured`,
  async run(harness, { random }) {
    const { noted, violated } = harness;
    const measured = await readMeasured();
    await using mongo = new AsyncDisposableStack();
    const connection = await openSubmissions(harness, mongo);
    for (const { replicas, cores, seconds, clips } of POINTS) {
      const takes = await openFilm({ ...FILM, seconds });
      const mine = random.fork(`${replicas} pods`);
      const megabytes = takes(mine).bytes.length / 1e6;
      const load = () => harness.load(clips, mine, { width: WIDTH, takes });
      await limitMedia(harness, `${1000 * cores}m`);
      await scaleMedia(harness, replicas);
      const made = 60 * (await rateOf(harness, connection, { clips, load }));
      const said = (60 * replicas) / jobSecondsOf(measured, { seconds, megabytes }, cores);
      const off = made / said - 1;
      const what = `${replicas} pods of ${1000 * cores}m, clips of ${seconds} s and ${megabytes.toFixed(2)} MB: ${made.toFixed(1)} a minute`;
      noted(`${what}, where ${said.toFixed(1)} was said: ${off < 0 ? '' : '+'}${(100 * off).toFixed(0)} %`);
      if (Math.abs(off) > TOLERANCE) violated(`${what}, more than ${100 * TOLERANCE} % off ${said.toFixed(1)}`);
    }
  },
};
