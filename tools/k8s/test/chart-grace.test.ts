import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { jobGraceMs } from '@recording-request/kit/lifecycle';
import { environmentOf } from '../src/environment.ts';
import { ensureHelm, ensureKustomize } from '../src/install.ts';
import { parse } from '../src/manifests.ts';
import { readConfigOf } from '../src/repository.ts';
import { EXAMPLE, openChart } from './rendered-chart.ts';

const context = { env: process.env, log: (line: string) => console.error(line) };
const chart = await openChart({ kustomize: await ensureKustomize(context) }, await ensureHelm(context));
after(() => chart[Symbol.asyncDispose]());
const { template, refusal } = chart;

/** Returns the grace period of a service's pods, and the times that the service derives from it, in seconds. */
async function stopOf(name: string, values: object) {
  // This profile includes the servers and their Secrets.
  const all = parse(await template({ profile: 'local', ...values }));
  const deployment = all.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name)!;
  const { terminationGracePeriodSeconds: grace, containers } = deployment.spec.template.spec;
  const { stopGraceSeconds, jobSeconds } = await readConfigOf(name, environmentOf(deployment, all));
  const serves = containers[0].lifecycle.preStop.sleep.seconds as number;
  const { progressDeadlineSeconds: progress } = deployment.spec;
  return { grace, progress, serves, stops: Number(stopGraceSeconds), job: Number(jobSeconds), env: containers[0].env };
}

for (const [name, variable] of [
  ['media', 'MEDIA_JOB_SECONDS'],
  ['transcription', 'TRANSCRIPTION_JOB_SECONDS'],
] as const)
  test(`refuses values whose grace period is shorter than the longest job of ${name}`, async () => {
    const settings = { [variable]: 1_800 };
    const refused = await refusal({ settings }, EXAMPLE);
    assert.match(
      refused,
      new RegExp(`services\\.${name}\\.graceSeconds: a job may take 1800 s \\(settings\\.${variable}\\)`),
    );
    const [, least] = /set (\d+) or more/.exec(refused)!;
    const given = (graceSeconds: number) => ({ settings, services: { [name]: { graceSeconds } } });
    assert.match(await refusal(given(Number(least) - 1), EXAMPLE), /set \d+ or more/);
    const { grace, progress, serves, stops, job, env } = await stopOf(name, given(Number(least)));
    assert.deepEqual([grace, job], [Number(least), 1_800]);
    assert.ok(stops < grace - serves);
    assert.ok(progress > grace, 'a new pod may wait for its room');
    assert.ok(jobGraceMs(stops) >= job * 1_000);
    assert.equal(env.filter(({ name }: { name: string }) => name === 'STOP_GRACE_SECONDS').length, 1);
  });

test('accepts a lower grace period that still covers the service’s own jobs', async () => {
  for (const name of ['media', 'transcription']) {
    const { job } = await stopOf(name, {});
    await template({ services: { [name]: { graceSeconds: job + 25 } } }, EXAMPLE);
    const refused = await refusal({ services: { [name]: { graceSeconds: job + 24 } } }, EXAMPLE);
    assert.match(refused, new RegExp(`a job may take ${job} s`));
  }
});

test('a service stops before Kubernetes kills it', async () => {
  const settings = { STOP_GRACE_SECONDS: 60 };
  const refused = await refusal({ settings }, EXAMPLE);
  assert.match(
    refused,
    /settings\.STOP_GRACE_SECONDS: Kubernetes kills pods of \w+ 45 s after .*graceSeconds=80, which covers both/,
  );
  // The others have their own STOP_GRACE_SECONDS.
  const two = ['projects', 'webhooks'];
  const services = Object.fromEntries(two.map(name => [name, { graceSeconds: 80 }]));
  await template({ settings, services }, EXAMPLE);
  for (const name of two) {
    const { grace, progress, stops } = await stopOf(name, { settings, services });
    assert.deepEqual([grace, progress, stops], [80, 600, 60]);
  }
  const { stops } = await stopOf('projects', {});
  await template({ settings: { STOP_GRACE_SECONDS: stops + 14 } }, EXAMPLE);
  assert.match(await refusal({ services: { gateway: { graceSeconds: 20 } } }, EXAMPLE), /gateway\/graceSeconds/);
});

test('the gateway and submissions have five minutes to end uploads and downloads, or as long as in the values', async () => {
  for (const name of ['gateway', 'submissions']) {
    const { grace, progress = 600, stops, env } = await stopOf(name, {});
    assert.deepEqual([grace, stops], [300, 280]);
    assert.ok(progress > grace);
    const longer = await stopOf(name, { services: { [name]: { graceSeconds: 900 } } });
    assert.deepEqual([longer.grace, longer.progress, longer.stops], [900, 1_140, 880]);
    for (const each of [env, longer.env])
      assert.equal(each.filter(({ name }: { name: string }) => name === 'STOP_GRACE_SECONDS').length, 1);
  }
});
