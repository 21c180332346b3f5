import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costOf, fit, type Measured, readMeasured, type Sample, SPENDERS } from './costs.ts';
import type { Installation } from './installation.ts';
import { jobSecondsOf, planFor } from './plan.ts';

/**
 * Each clip costs each service 10 ms of CPU, plus 1 ms per second and 2 ms per megabyte. A media job costs 200 ms, plus
 * 10 ms per second and 20 ms per megabyte, and waits for the same time.
 */
function sample(seconds: number, megabytes: number): Sample {
  const each = 0.01 + 0.001 * seconds + 0.002 * megabytes;
  const job = 0.2 + 0.01 * seconds + 0.02 * megabytes;
  return {
    ...{ seconds, megabytes, clips: 30 },
    cpuSeconds: Object.fromEntries(SPENDERS.map(name => [name, each])) as Sample['cpuSeconds'],
    jobCpuSeconds: job,
    jobSeconds: 2 * job,
    ...{ storedBytes: megabytes * 1e6 + seconds * 8_000, audioBytes: seconds * 8_000 },
    ...{ databaseBytes: 4_000, eventBytes: 10_000 },
  };
}

const measured: Measured = {
  ...{ at: '2026-01-01T00:00:00.000Z', command: 'a test' },
  machine: { cpus: 2, model: 'any', memoryGiB: 8, node: '26' },
  idleCores: Object.fromEntries(SPENDERS.map(name => [name, 0])) as Measured['idleCores'],
  samples: [sample(2, 0.1), sample(40, 5), sample(5, 10)],
};
const front = { replicas: 2, maxReplicas: 10, utilization: 0.7, requestedCores: 0.25, slots: 1 };
const installation: Installation = {
  services: {
    ...{ gateway: front, projects: front, submissions: front },
    media: { replicas: 2, requestedCores: 1, limitCores: 2, slots: 1 },
    transcription: { replicas: 2, requestedCores: 0.1, slots: 2 },
    webhooks: { replicas: 2, requestedCores: 0.1, slots: 1 },
  },
  partitions: 6,
};
const demand = { clipsPerMinute: 600, seconds: 10, megabytes: 1, speechSeconds: 0 };
const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-6 * expected, `${actual} is not ${expected}`);

test('interpolates the cost of a clip from three measured ones', () => {
  const { clip, perSecond, perMegabyte } = fit(measured.samples, ({ cpuSeconds }) => cpuSeconds.gateway);
  near(clip, 0.01);
  near(perSecond, 0.001);
  near(perMegabyte, 0.002);
  near(
    costOf(measured.samples, { seconds: 10, megabytes: 1 }, each => each.jobCpuSeconds),
    0.32,
  );
});

test('refuses clips that do not differ in length and size', () => {
  const same = [sample(2, 0.1), sample(2, 0.1), sample(5, 10)];
  assert.throws(() => fit(same, each => each.jobSeconds), /do not differ in length and size/);
});

test('less than one processor slows a job’s own work, but not its waits', () => {
  near(jobSecondsOf(measured, demand), 0.64);
  near(jobSecondsOf(measured, demand, 0.25), 0.32 / 0.25 + 0.32);
  near(jobSecondsOf(measured, demand, 4), 0.64);
});

test('derives pods from the work: by the autoscaler’s target, or by concurrent jobs', () => {
  const plan = planFor(measured, installation, demand);
  const pods = Object.fromEntries(plan.services.map(({ name, replicas }) => [name, replicas]));
  // Ten clips a second of 22 ms each use 0.22 processors. Two pods with a quarter of a processor each, 70 % busy, are enough.
  assert.equal(pods.gateway, 2);
  // 6.4 concurrent jobs run in slots that are 70 % busy.
  assert.equal(pods.media, 10);
  assert.equal(plan.partitions, 10);
  near(plan.bytes.storedPerDay, 600 * 1440 * 1_080_000);
  near(plan.bandwidth.in, 80e6);
});

test('derives partitions from the pods that consume them', () => {
  const plan = planFor(measured, installation, { ...demand, speechSeconds: 3 });
  const pods = Object.fromEntries(plan.services.map(({ name, replicas }) => [name, replicas]));
  // 30 concurrent jobs run, two in each pod.
  assert.equal(pods.transcription, 22);
  assert.equal(plan.partitions, 22);
  assert.deepEqual(
    plan.limits.filter(({ what }) => what.includes('KAFKA_PARTITIONS')),
    [],
  );
});

test('names the lowest bound first', () => {
  const { limits } = planFor(measured, installation, demand);
  assert.match(limits[0]!.what, /2 pods of media/);
  near(limits[0]!.clipsPerMinute, (2 * 60) / 0.64);
  for (const [at, { clipsPerMinute }] of limits.entries())
    assert.ok(at === 0 || clipsPerMinute >= limits[at - 1]!.clipsPerMinute);
});

test('a speech endpoint’s time uses slots, but no processor', () => {
  const slow = planFor(measured, installation, { ...demand, speechSeconds: 3 });
  const plain = planFor(measured, installation, demand);
  const of = (plan: typeof slow) => plan.services.find(({ name }) => name === 'transcription')!;
  assert.ok(of(slow).replicas > of(plain).replicas);
  assert.equal(of(slow).cores, of(plain).cores);
});

test('the measured costs have every service and server, and three kinds of clips', async () => {
  const { samples, idleCores } = await readMeasured();
  assert.equal(samples.length, 3);
  for (const each of [idleCores, ...samples.map(({ cpuSeconds }) => cpuSeconds)])
    assert.deepEqual(Object.keys(each).sort(), [...SPENDERS].sort());
  for (const each of samples) assert.ok(each.jobCpuSeconds > 0 && each.jobSeconds > 0 && each.storedBytes > 0);
  fit(samples, ({ jobSeconds }) => jobSeconds);
});
