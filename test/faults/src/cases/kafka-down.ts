import { setTimeout as delay } from 'node:timers/promises';
import { anyIncidents } from '../check/answers.ts';
import { trickle } from '../contributors/trickle.ts';
import type { FaultCase } from '../fault-case.ts';

/**
 * Kafka refuses connections for this time. Then it accepts connections without responding, for longer than a request's
 * timeout.
 */
const REFUSING_MS = { short: 15_000, long: 100_000 };
const HANGING_MS = { short: 40_000, long: 50_000 };

export const kafkaDown: FaultCase = {
  name: 'kafka-down-while-clips-land',
  promise: 'While Kafka refuses connections or hangs, every clip lands with 2xx; events and jobs follow later',
  bounded: true,
  weight: 2,
  async run(harness, { random, submissions, short }) {
    const kafka = harness.proxies('kafka');
    // Work must be in progress when the outage begins.
    await harness.load(Math.ceil(submissions / 4), random.fork('before'));
    const form = short ? 'short' : 'long';
    const overMs = REFUSING_MS[form] + HANGING_MS[form];
    await kafka.down();
    const before = harness.gateway.incidents.length;
    const landing = trickle(harness, Math.floor((submissions * 3) / 4), random.fork('during'), { overMs });
    await delay(REFUSING_MS[form]);
    await kafka.pass();
    kafka.freeze();
    await delay(HANGING_MS[form]);
    const entries = await landing;
    await kafka.pass();
    for (const { outcome, why } of entries)
      if (outcome !== 'ok') harness.violated(`a clip did not land while Kafka was down: ${why}`);
    anyIncidents(harness, before);
  },
};
