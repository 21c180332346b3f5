import { freePort } from '@recording-request/stack/ports';
import type { Random } from '@recording-request/stack/random';
import { anyIncidents } from '../check/answers.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';

/**
 * If a take is slower than the usual time multiplied by this factor plus these milliseconds, the collector has slowed
 * it down. Smaller differences are variations of the machine.
 */
const FACTOR = 2.5;
const NOISE_MS = 1_500;
/** The maximum time that a service may take to stop. */
const STOP_MS = 26_000;

export const telemetryDown: FaultCase = {
  name: 'telemetry-collector-down',
  promise:
    'A telemetry collector that refuses or hangs slows nothing, fails nothing and prevents no service from stopping',
  bounded: false,
  weight: 2,
  harness: {
    env: { OTEL_BSP_SCHEDULE_DELAY: '500' },
    // This address has no server. The proxy in front of it responds.
    servers: async () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` }),
  },
  async run(harness, { random, submissions, short }) {
    const collector = harness.proxies('telemetry');
    const modes = {
      well: () => collector.answer((request, response) => void request.resume().on('end', () => response.end('{}'))),
      refusing: () => collector.down(),
      hanging: async () => {
        await collector.pass();
        collector.answer(request => void request.resume());
      },
    };
    const times: Record<string, number[]> = { well: [], refusing: [], hanging: [] };
    await harness.load(4, random.fork('warm'));
    // Alternates the modes, so that other load on the machine affects all modes equally.
    const rounds = short ? 2 : 3;
    const each = Math.max(3, Math.floor((submissions - 4) / (rounds * 3)));
    for (let round = 0; round < rounds; round++)
      for (const [name, begin] of Object.entries(modes)) {
        await collector.pass();
        await begin();
        times[name]!.push(...(await timed(harness, each, random.fork(`${name} ${round}`))));
      }
    for (const name of ['refusing', 'hanging']) {
      const [well, now] = [median(times.well!), median(times[name]!)];
      if (now > well * FACTOR + NOISE_MS)
        harness.violated(`a take took ${now} ms while the collector was ${name}, and ${well} ms while it worked`);
    }
    for (const process of harness.fleet.all()) {
      const began = Date.now();
      await harness.fleet.stop(process);
      const took = Date.now() - began;
      if (took > STOP_MS) harness.violated(`${process.service} took ${took} ms to stop while the collector hung`);
    }
    anyIncidents(harness);
    await collector.pass();
  },
};

/** Sends takes one after the other. Returns the milliseconds of each. */
async function timed(harness: Harness, count: number, random: Random): Promise<number[]> {
  const { plain } = await harness.projects();
  const times: number[] = [];
  for (let at = 0; at < count; at++) {
    const mine = random.fork(`take ${at}`);
    const began = Date.now();
    await harness.contribute({ project: plain }, harness.take(mine), mine, { chunkBytes: 32_000, deferLength: false });
    times.push(Date.now() - began);
  }
  return times;
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
