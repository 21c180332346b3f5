import type { Delay } from '../drill.ts';
import type { Step } from '../step-query.ts';
import type { System } from '../system/system.ts';

/** The delay of one call, too short to make it fail. */
const MS = { store: 300, database: 100, kafka: 800, speech: 4_000, endpoint: 2_000 };
const FFMPEG_SECONDS = 0.8;

const lagging = (step: 'store' | 'database' | 'kafka', server: 's3' | 'mongo' | 'kafka', what: string): Delay =>
  delayed(step, `${what} ${MS[step]} ms late`, async ({ harness }, repair) => {
    harness.proxies(server).lag(MS[step]);
    repair.defer(() => harness.proxies(server).pass());
  });

const delayed = (
  step: Step,
  what: string,
  begin: (system: System, repair: AsyncDisposableStack) => Promise<void>,
): Delay => ({ name: `delay-${step}`, step, what, begin });

/** One delay for each step. */
export const DELAYS: Delay[] = [
  lagging('store', 's3', 'each response of the object store arrives'),
  lagging('database', 'mongo', 'each response of MongoDB arrives'),
  lagging('kafka', 'kafka', 'each response of Kafka arrives'),
  delayed('speech', `the speech endpoint takes ${MS.speech} ms longer`, async ({ speech }, repair) => {
    const { takesMs } = speech;
    speech.takesMs += MS.speech;
    repair.defer(() => {
      speech.takesMs = takesMs;
    });
  }),
  delayed('endpoint', `each endpoint of an owner responds ${MS.endpoint} ms late`, async ({ owners }, repair) => {
    owners.endpoints.lag(MS.endpoint);
    repair.defer(() => owners.endpoints.pass());
  }),
  delayed('ffmpeg', `each run of ffmpeg takes ${FFMPEG_SECONDS} s longer`, async ({ ffmpeg }, repair) => {
    await ffmpeg.lag(FFMPEG_SECONDS);
    repair.defer(() => ffmpeg.pass());
  }),
];
