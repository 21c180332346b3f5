import type { Random } from '@recording-request/stack/random';
import type { FaultCase } from '../fault-case.ts';
import type { Process } from '../harness/fleet.ts';
import type { Harness } from '../harness/harness.ts';
import { forgetMoments, onCommit, onPublished } from '../proxy/moments.ts';

/** Kills a process at each moment that `arm` sees on the process's proxies, and restarts it, until the load is over. */
async function killAtMoments(
  { fleet }: Harness,
  process: Process,
  options: { times: number; over: Promise<unknown>; arm: (then: () => void) => void },
): Promise<number> {
  let isOver = false;
  const over = options.over.finally(() => {
    isOver = true;
  });
  let kills = 0;
  while (kills < options.times && !isOver) {
    const hit = Promise.withResolvers<void>();
    let killed: Promise<void> | undefined;
    options.arm(() => {
      killed = fleet.kill(process);
      hit.resolve();
    });
    await Promise.race([hit.promise, over]);
    if (!killed) break;
    await killed;
    kills++;
    await fleet.start(process);
  }
  forgetMoments(process);
  return kills;
}

// The load waits during each restart, which takes one or two seconds. With this number of kills, the load still makes
// progress.
const TIMES = { short: 3, long: 12 };

/** The collections whose writes another step must follow. */
const COLLECTIONS = ['uploads', 'submissions', 'responses', 'links', 'deliveries'];

export const killAfterCommit: FaultCase = {
  name: 'kill-between-commit-and-reply',
  promise: 'A write that MongoDB acknowledged stays and takes effect once, if the service dies before its reply',
  bounded: false,
  weight: 2,
  async run(harness, { random, submissions, short }) {
    const load = harness.load(submissions, random.fork('load'));
    const times = short ? TIMES.short : TIMES.long;
    const killing = (service: 'submissions' | 'projects' | 'webhooks', times: number, moments: Random) => {
      const [process] = harness.fleet.of(service);
      const arm = (then: () => void) => onCommit(process!, COLLECTIONS, moments.integer(0, 25), then);
      return killAtMoments(harness, process!, { times, over: load, arm });
    };
    const [kills] = await Promise.all([
      killing('submissions', times, random.fork('submissions')),
      killing('projects', Math.ceil(times / 3), random.fork('projects')),
      killing('webhooks', Math.ceil(times / 3), random.fork('webhooks')),
      load,
    ]);
    if (kills === 0) harness.violated('the proxies saw no commit of submissions: the case tested nothing');
  },
};

export const killRelay: FaultCase = {
  name: 'kill-between-publish-and-mark',
  promise:
    'An event that was published but not marked is published again with the same id: the receiver counts it once',
  bounded: false,
  async run(harness, { random, submissions, short }) {
    const load = harness.load(submissions, random.fork('load'));
    // Kills each process, because any of them may hold the lease for publishing.
    const kill = async (service: 'submissions' | 'media', times: number) => {
      const killing = harness.fleet.of(service).map((process, at) => {
        const moments = random.fork(`${service}-${at}`);
        // In the short form, skips no request, because a short load may be published in only two requests.
        const arm = (then: () => void) => onPublished(process, moments.integer(0, short ? 0 : 2), then);
        return killAtMoments(harness, process, { times, over: load, arm });
      });
      return (await Promise.all(killing)).reduce((sum, kills) => sum + kills, 0);
    };
    const times = short ? 2 : 8;
    // Media has the same moment: its result is published, but its work is not marked as done.
    const [kills] = await Promise.all([kill('submissions', times), kill('media', Math.ceil(times / 3)), load]);
    if (kills === 0) harness.violated('the proxies saw no publication: the case tested nothing');
  },
};
