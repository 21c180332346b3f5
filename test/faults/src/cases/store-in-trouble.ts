import type { RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@recording-request/stack/random';
import { badAnswers } from '../check/answers.ts';
import { trickle } from '../contributors/trickle.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';

/** The padding makes takes larger, so that uploads are always in progress when the trouble begins. */
const PAD_BYTES = 400_000;

/** Runs the phases of trouble while new contributors arrive. */
async function through(
  harness: Harness,
  {
    submissions,
    random,
    phases,
  }: { submissions: number; random: Random; phases: [ms: number, begin: () => unknown][] },
): Promise<void> {
  const whole = phases.reduce((sum, [ms]) => sum + ms, 0);
  const load = trickle(harness, submissions, random, { overMs: whole, padBytes: PAD_BYTES });
  for (const [ms, begin] of phases) {
    await begin();
    await delay(ms);
  }
  await harness.proxies('s3').pass();
  const entries = await load;
  for (const { outcome, why } of entries)
    if (outcome !== 'ok') harness.violated(`a take was not accepted after the store’s recovery: ${why}`);
  badAnswers(harness);
}

export const storeDown: FaultCase = {
  name: 'store-down-in-mid-upload',
  promise:
    'If the object store is down or hangs during an upload, no acknowledged byte is lost, and uploads continue afterwards',
  bounded: false,
  async run(harness, { random, submissions, short }) {
    const s3 = harness.proxies('s3');
    const ms = short ? 3_000 : 9_000;
    const phases: [number, () => unknown][] = [
      [2_000, () => s3.pass()],
      // Requests that hang here wait for the service's timeout of a minute.
      ...(short ? [] : [[1_000, () => s3.strand()] as [number, () => unknown]]),
      [ms, () => s3.down()],
      [ms, () => s3.pass()],
      [ms, () => s3.freeze()],
      [ms, () => s3.pass()],
      [1_000, () => s3.reset()],
    ];
    await through(harness, { submissions, random, phases });
  },
};

/** Error responses of stores, and of proxies in front of stores. */
const ERRORS: [status: number, type: string, body: string][] = [
  [500, 'application/xml', '<?xml version="1.0"?><Error><Code>InternalError</Code><Message>We.</Message></Error>'],
  [503, 'application/xml', '<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Slow.</Message></Error>'],
  [500, 'text/plain', ''],
  [502, 'text/html', '<html><body><h1>502 Bad Gateway</h1></body></html>'],
  [
    507,
    'application/xml',
    '<?xml version="1.0"?><Error><Code>XMinioStorageFull</Code><Message>Full.</Message></Error>',
  ],
];

export const storeErrors: FaultCase = {
  name: 'store-answers-500',
  promise: 'The services retry an object store that returns errors: no clip lands incomplete or is refused permanently',
  bounded: false,
  async run(harness, { random, submissions, short }) {
    const s3 = harness.proxies('s3');
    const errors = random.fork('errors');
    const listener: RequestListener = (request, response) => {
      const [status, type, body] = errors.pick(ERRORS);
      request.resume().on('end', () => response.writeHead(status, { 'content-type': type }).end(body));
      request.on('error', () => {});
    };
    const ms = short ? 4_000 : 10_000;
    const phases: [number, () => unknown][] = [
      [1_500, () => s3.pass()],
      [ms, () => s3.answer(listener)],
      [ms, () => s3.pass()],
      [ms, () => s3.answer(listener)],
    ];
    await through(harness, { submissions, random, phases });
  },
};

export const storeSlow: FaultCase = {
  name: 'store-slow',
  promise: 'A slow object store only makes uploads slow: no byte is stored twice, no hold is lost',
  bounded: false,
  async run(harness, { random, submissions, short }) {
    const s3 = harness.proxies('s3');
    const ms = short ? 5_000 : 12_000;
    const phases: [number, () => unknown][] = [
      [1_000, () => s3.pass()],
      [ms, () => s3.slow(60_000)],
      [ms, () => s3.slow(8_000)],
      [ms / 2, () => s3.pass()],
    ];
    await through(harness, { submissions, random, phases });
  },
};
