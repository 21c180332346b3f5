import type { ClusterCase } from '../cluster-case.ts';
import {
  limitMedia,
  longTakes,
  openSubmissions,
  QUICKLY,
  type Rate,
  rateOf,
  scaleMedia,
  told,
} from '../product/media-rate.ts';

/** The CPU limit of a pod with one job at a time: small enough that the node does not limit four pods. */
const PROCESSORS = 0.25;
const MANY = 4;
const LEAST = 0.85;
/** The clips per pod. */
const CLIPS = 24;

export const moreWorkers: ClusterCase = {
  name: 'more-workers',
  promise: `four pods of media in place of one, each with ${PROCESSORS} of a processor, process at least ${LEAST} of four times the clips; scaling back to one loses no job`,
  async run(harness, { random }) {
    const { noted, violated } = harness;
    await using cleaning = new AsyncDisposableStack();
    const connection = await openSubmissions(harness, cleaning);
    cleaning.use(await limitMedia(harness, PROCESSORS));
    const takes = await longTakes();
    const rates: Rate[] = [];
    for (const replicas of [1, MANY]) {
      const count = CLIPS * replicas;
      const mine = random.fork(`of ${replicas}`);
      const load = () => harness.load(count, mine, { ...QUICKLY, takes });
      await scaleMedia(harness, replicas);
      rates.push(await rateOf(harness, connection, { clips: count, load }));
    }
    const [one, many] = rates as [Rate, Rate];
    const share = many.clipsPerMinute / (one.clipsPerMinute * MANY);
    noted(`one pod: ${told(one, PROCESSORS)}`);
    noted(`${MANY} pods: ${told(many, MANY * PROCESSORS)}; ${share.toFixed(2)} of linear`);
    if (share < LEAST) violated(`${MANY} pods processed ${share.toFixed(2)} of the linear rate, less than ${LEAST}`);
    // The pods still process these clips when the scaling to one pod begins.
    await harness.load(CLIPS, random.fork('after'), { ...QUICKLY, takes });
    await scaleMedia(harness, 1);
  },
};
