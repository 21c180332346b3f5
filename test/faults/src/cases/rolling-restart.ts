import { SERVICES } from '@recording-request/stack/service-plan';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';

export const rollingRestart: FaultCase = {
  name: 'rolling-restart',
  promise:
    'With two processes of each service, a restart of all of them one by one fails no request: a client refused by one gateway uses the other',
  bounded: false,
  weight: 2,
  harness: { processes: Object.fromEntries(SERVICES.map(service => [service, 2])) },
  async run(harness, { random, submissions, signal }) {
    const { fleet } = harness;
    let rolling = true;
    const roll = async () => {
      // Restarts the processes in reverse order of the services, each after the previous one is ready.
      for (const service of [...SERVICES].reverse())
        for (const process of fleet.of(service)) {
          await fleet.stop(process);
          await fleet.start(process);
        }
    };
    await harness.projects();
    const rolled = roll().finally(() => {
      rolling = false;
    });
    // Rejections are handled below, after the load.
    rolled.catch(() => {});
    const reading = readOn(harness, () => rolling && !signal.aborted);
    let sent = 0;
    while (!signal.aborted && (rolling || sent < submissions))
      sent += (await harness.load(6, random.fork(`load ${sent}`), { width: 3 })).length;
    await Promise.all([rolled, reading]);
    for (const { at, what } of harness.gateway.incidents)
      harness.violated(`a request failed (${at.toISOString()}): ${what}`);
  },
};

const PATHS = ['', '/links', '/submissions', '/export.csv', '/export/project.zip'];

/** Sends the reads of an owner: lists, figures, exports and a video. */
export async function readOn({ owner }: Harness, isOn: () => boolean, read = PATHS): Promise<void> {
  while (isOn()) {
    for (const { projectId } of owner.projects) {
      for (const path of read) await owner.ask(`/api/projects/${projectId}${path}`).catch(() => {});
      const [newest] = await owner.submissions(projectId);
      if (newest) await owner.ask(new URL(newest.videoUrl).pathname).catch(() => {});
    }
  }
}
