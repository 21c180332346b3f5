import type { Delay } from '../drill.ts';
import type { Step } from '../step-query.ts';
import type { System } from '../system/system.ts';

/** The delay of one call: too short to make anything fail. */
const MS = { store: 300, database: 100, kafka: 800, speech: 4_000, endpoint: 2_000 };
const FFMPEG_SECONDS = 0.8;

const lagging = (step: 'store' | 'database' | 'kafka', server: 's3' | 'mongo' | 'kafka', what: string): Delay =>
  delayed(step, `${what} ${MS[step]} ms late`, async ({ harness }, mended) => {
    harness.proxies(server).lag(MS[step]);
    mended.defer(() => harness.proxies(server).pass());
  });

const delayed = (
  step: Step,
  what: string,
  begin: (system: System, mended: AsyncDisposableStack) => Promise<void>,
): Delay => ({ name: `delay-${step}`, step, what, begin });

/** One for each step, in the order in which they run. */
export const DELAYS: Delay[] = [
  lagging('store', 's3', 'each answer of the object store comes'),
  lagging('database', 'mongo', 'each answer of MongoDB comes'),
  lagging('kafka', 'kafka', 'each answer of Kafka comes'),
  delayed('speech', `the speech endpoint takes ${MS.speech} ms longer`, async ({ speech }, mended) => {
    const { takesMs } = speech;
    speech.takesMs += MS.speech;
    mended.defer(() => {
      speech.takesMs = takesMs;
    });
  }),
  delayed('endpoint', `the endpoint of webhooks answers ${MS.endpoint} ms late`, async ({ endpoint }, mended) => {
    endpoint.lag(MS.endpoint);
    mended.defer(() => endpoint.pass());
  }),
  delayed('ffmpeg', `each run of ffmpeg takes ${FFMPEG_SECONDS} s longer`, async ({ ffmpeg }, mended) => {
    await ffmpeg.lag(FFMPEG_SECONDS);
    mended.defer(() => ffmpeg.pass());
  }),
];
