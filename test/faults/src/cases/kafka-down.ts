import { setTimeout as delay } from 'node:timers/promises';
import { anyIncidents } from '../check/answers.ts';
import type { FaultCase } from '../fault-case.ts';
import { trickle } from '../people/trickle.ts';

const DOWN_MS = { short: 15_000, long: 150_000 };
/** The share of the outage in which Kafka takes connections and says nothing, after it has refused them. */
const HANGING = 0.25;

export const kafkaDown: FaultCase = {
  name: 'kafka-down-while-clips-land',
  promise: 'With Kafka away, refusing or hanging, every clip lands with 2xx; what follows from it follows later',
  bounded: true,
  weight: 2,
  async run(bench, { random, submissions, short }) {
    const kafka = bench.wires('kafka');
    // Work is under way when it begins.
    await bench.load(Math.ceil(submissions / 4), random.fork('before'));
    const overMs = short ? DOWN_MS.short : DOWN_MS.long;
    await kafka.down();
    const before = bench.doors.incidents.length;
    const landing = trickle(bench, Math.floor((submissions * 3) / 4), random.fork('during'), { overMs });
    await delay(overMs * (1 - HANGING));
    await kafka.pass();
    kafka.freeze();
    await delay(overMs * HANGING);
    const entries = await landing;
    await kafka.pass();
    for (const { outcome, why } of entries)
      if (outcome !== 'ok') bench.violated(`a clip did not land while Kafka was away: ${why}`);
    anyIncidents(bench, before);
  },
};
