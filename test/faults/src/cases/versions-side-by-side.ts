import { checkOut } from '@recording-request/stack/install/check-out';
import { SERVICES, type ServiceName } from '@recording-request/stack/service-plan';
import type { CasePlan, FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import { previousCommit } from '../versions/previous-version.ts';
import { openTomorrow } from '../versions/tomorrow.ts';

const PRELOAD = new URL('../versions/forget-events.ts', import.meta.url).href;

/** Event kinds that the previous version is made to forget, as if this version had introduced them. */
const FORGOTTEN: Partial<Record<ServiceName, string>> = {
  webhooks: 'submissionCompleted,submissionTranscript',
  submissions: 'mediaProcessed,transcriptCompleted',
};

export const versionsSideBySide: FaultCase = {
  name: 'versions-side-by-side',
  promise:
    'The previous version and this one run side by side and replace each other under load: no clip, event or field is lost, although each sends data that the other does not know',
  bounded: false,
  weight: 2,
  // Each of the three replacements stops and starts a process of every service.
  limitMs: 20 * 60_000,
  harness: {
    processes: Object.fromEntries(SERVICES.map(service => [service, 2])),
    // Events that a version does not know become dead letters.
    expected: { deadLetters: true },
    async code(dataDir) {
      const folder = await checkOut(await previousCommit(), dataDir);
      return (_service, index) => (isPrevious({ index }) ? folder : undefined);
    },
    processEnv(service, index): Record<string, string> {
      const kinds = isPrevious({ index }) && FORGOTTEN[service];
      return kinds ? { NODE_OPTIONS: `--import ${PRELOAD}`, FORGET_EVENTS: kinds } : {};
    },
  },
  async run(harness, plan) {
    await using tomorrow = await openTomorrow(harness);
    await harness.projects();
    // All steps below run under load. At first, each service has processes of both versions.
    await during(harness, plan, 'both', async () => void (await tomorrow.publish()));
    await during(harness, plan, 'forward', () => replace(harness, isPrevious));
    await during(harness, plan, 'back', () => replace(harness, process => !isPrevious(process)));
    await during(harness, plan, 'forward again', () => replace(harness, isPrevious));
    await tomorrow.judge();
  },
};

const isPrevious = ({ index }: { index: number }): boolean => index === 1;

/** Sends a share of the takes, and continues until `change` is done. */
async function during(
  harness: Harness,
  { random, submissions, signal }: CasePlan,
  phase: string,
  change: () => Promise<void>,
): Promise<void> {
  let changing = true;
  const changed = change().finally(() => {
    changing = false;
  });
  changed.catch(() => {});
  const share = Math.ceil(submissions / 4);
  for (let sent = 0; !signal.aborted && (changing || sent < share); )
    sent += (await harness.load(4, random.fork(`${phase} ${sent}`), { width: 4, speech: 0.25 })).length;
  await changed;
}

/** For each service: starts the processes that are not selected, unless they run, and then stops the selected ones. */
async function replace({ fleet }: Harness, isGoing: (process: { index: number }) => boolean): Promise<void> {
  for (const service of SERVICES) {
    const all = fleet.of(service);
    for (const process of all) if (!isGoing(process)) await fleet.start(process);
    for (const process of all) if (isGoing(process)) await fleet.stop(process);
  }
}
