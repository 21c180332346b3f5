import { SERVICES } from '@recording-request/stack/service-plan';
import type { FaultCase } from '../fault-case.ts';
import type { Bench } from '../harness/harness.ts';

export const rollingRestart: FaultCase = {
  name: 'rolling-restart',
  promise:
    'With two processes of each service a restart of all, one by one, fails no request: a client refused by one gateway asks the other',
  bounded: false,
  weight: 2,
  stage: { processes: Object.fromEntries(SERVICES.map(service => [service, 2])) },
  async run(bench, { random, submissions, signal }) {
    const { fleet } = bench;
    let rolling = true;
    const roll = async () => {
      // From the back to the front, and each process only when the one before is there again.
      for (const service of [...SERVICES].reverse())
        for (const process of fleet.of(service)) {
          await fleet.stop(process);
          await fleet.start(process);
        }
    };
    await bench.projects();
    const rolled = roll().finally(() => {
      rolling = false;
    });
    // Seen below, once the load is through.
    rolled.catch(() => {});
    const reading = readOn(bench, () => rolling && !signal.aborted);
    let sent = 0;
    while (!signal.aborted && (rolling || sent < submissions))
      sent += (await bench.load(6, random.fork(`load ${sent}`), { width: 3 })).length;
    await Promise.all([rolled, reading]);
    for (const { at, what } of bench.doors.incidents) bench.violated(`a request failed (${at.toISOString()}): ${what}`);
  },
};

/** The owner at their dashboard meanwhile: lists, figures, an export, a video. */
async function readOn({ owner }: Bench, isOn: () => boolean): Promise<void> {
  while (isOn()) {
    for (const { projectId } of owner.projects) {
      const paths = ['', '/links', '/submissions', '/export.csv', '/export/project.zip'].map(
        it => `/api/projects/${projectId}${it}`,
      );
      for (const path of paths) await owner.ask(path).catch(() => {});
      const [newest] = await owner.submissions(projectId);
      if (newest) await owner.ask(new URL(newest.videoUrl).pathname).catch(() => {});
    }
  }
}
