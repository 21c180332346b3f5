import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadConfig } from '@recording-request/kit/config';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { objectVariables } from '@recording-request/kit-objects/variables';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { renderOverlay } from '../src/chart.ts';
import { faultsOf } from '../src/faults.ts';
import { ensureHelm, ensureManifestTools } from '../src/install.ts';
import { type Manifest, parse, podOf } from '../src/manifests.ts';
import { BASE, readConfigOf, serviceNames } from '../src/repository.ts';
import { productionOverlay } from './production-overlay.ts';
import { EXAMPLE, openChart, podsOf } from './rendered-chart.ts';

const context = { env: process.env, log: (line: string) => console.error(line) };
const tools = await ensureManifestTools(context);
const chart = await openChart(tools, await ensureHelm(context));
after(() => chart[Symbol.asyncDispose]());

const NETWORK = [{ to: [{ ipBlock: { cidr: '10.5.0.0/24' } }], ports: [{ port: 6379 }] }];

/** A store with keys, Kafka with a login, and a Redis. Their keys are optional, so the settings name the files. */
const SETTINGS = {
  KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
  KAFKA_USERNAME: 'clips',
  KAFKA_PASSWORD_FILE: '/secrets/KAFKA_PASSWORD',
  S3_ACCESS_KEY_FILE: '/secrets/S3_ACCESS_KEY',
  S3_SECRET_KEY_FILE: '/secrets/S3_SECRET_KEY',
  REDIS_URL_FILE: '/secrets/REDIS_URL',
  // The test has no certificates.
  INTERNAL_PLAINTEXT: 'true',
  SUBMISSIONS_HTTP: 'http://submissions-http:8080',
};
const SECRETS: Readonly<Record<string, string>> = {
  MONGO_URL: 'mongodb://mongo/?replicaSet=rs0',
  SECRETS_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  S3_ACCESS_KEY: 'a-key',
  S3_SECRET_KEY: 'its-secret',
  // The speech server needs no key.
  SPEECH_API_KEY: '',
  KAFKA_PASSWORD: 'a-password',
  REDIS_URL: 'rediss://redis:6380',
};

const overlay = await productionOverlay(tools, {
  settings: Object.entries(SETTINGS).map(([name, value]) => `${name}=${value}`),
  components: ['../../backup', '../../secrets-as-files'],
});
const values = {
  ...{ secretFiles: true, settings: SETTINGS, kedaSecret: 'keda-kafka', backup: { claim: 'backup' } },
  networks: { redis: NETWORK },
};

test('the component and the value are valid and equivalent', async () => {
  const text = await chart.template(values, EXAMPLE);
  for (const each of [overlay, text]) assert.equal(await faultsOf(tools, each), '');
  assert.deepEqual(podsOf(text), podsOf(overlay));
  const components = ['../../backup-bucket', '../../secrets-as-files'];
  const settings = Object.entries(SETTINGS).map(([name, value]) => `${name}=${value}`);
  const toBucket = { ...values, backup: { bucket: 's3://recording-request-backup' } };
  const pods = podsOf(await chart.template(toBucket, EXAMPLE));
  assert.deepEqual(pods, podsOf(await productionOverlay(tools, { settings, components })));
});

test('no variable comes from a Secret, if a policy forbids it', async () => {
  const text = await chart.template({ ...values, secretFiles: 'only' }, EXAMPLE);
  const settings = Object.entries(SETTINGS).map(([name, value]) => `${name}=${value}`);
  const components = ['../../backup', '../../secrets-as-files'];
  const outer = ['../../secrets-as-files/no-variables'];
  const strict = await productionOverlay(tools, { settings, components, outer });
  const withDoctor = await productionOverlay(tools, { settings, components: [...components, '../../doctor'], outer });
  for (const each of [text, strict, withDoctor]) {
    assert.equal(await faultsOf(tools, each), '');
    assert.doesNotMatch(each, /secretKeyRef/);
  }
  assert.deepEqual(podsOf(text), podsOf(strict));
  const ofBackup = await chart.template(
    { ...values, secretFiles: 'only', services: { backup: { settings: { KAFKA_USERNAME: 'backup' } } } },
    EXAMPLE,
  );
  const patch = [
    {
      op: 'add',
      path: '/spec/jobTemplate/spec/template/spec/containers/0/env/-',
      value: { name: 'KAFKA_USERNAME', value: 'backup' },
    },
  ];
  const patches = [{ target: { kind: 'CronJob', name: 'backup' }, patch: JSON.stringify(patch) }];
  const patched = await productionOverlay(tools, { settings, components, outer, outerPatches: patches });
  assert.deepEqual(podsOf(ofBackup), podsOf(patched));
  assert.match(withDoctor, /^ +secretName: recording-request-migrate$/m);
});

/** Returns the environment of a container of the overlay, with the files of the folder `dir` in place of /secrets. */
function environmentIn(workload: Manifest, dir: string): Record<string, string> {
  const env: Record<string, string> = {};
  const { env: own, envFrom, volumeMounts } = podOf(workload)!.spec.containers[0];
  for (const { configMapRef } of envFrom)
    Object.assign(env, parse(overlay).find(({ metadata }) => metadata.name === configMapRef.name)!.data);
  for (const { name, value } of own) if (value !== undefined) env[name] = value;
  const [{ mountPath }] = volumeMounts.filter(({ name }: { name: string }) => name === 'secrets');
  const entries = Object.entries(env).map(([name, value]) => [name, value.replace(mountPath, dir)]);
  return Object.fromEntries(entries);
}

test('every workload mounts its own Secret and reads its configuration from the files', async () => {
  await using dir = await tempDir();
  for (const [name, text] of Object.entries(SECRETS)) await writeFile(join(dir.path, name), `${text}\n`);
  const workloads = parse(overlay).filter(podOf);
  assert.deepEqual(
    workloads.map(({ metadata }) => metadata.name).sort(),
    [...(await serviceNames()), 'migrate', 'backup'].sort(),
  );
  for (const workload of workloads) {
    const { name } = workload.metadata;
    const { volumes, securityContext, containers } = podOf(workload)!.spec;
    const { secret } = volumes.find((each: { name: string }) => each.name === 'secrets');
    const secretName = name === 'gateway' ? 'recording-request' : `recording-request-${name}`;
    assert.deepEqual([secret, securityContext.fsGroup], [{ secretName, defaultMode: 0o440 }, 1000], name);
    const left = containers[0].env.filter(({ valueFrom }: Manifest['spec']) => valueFrom?.secretKeyRef);
    for (const { name: variable } of left) assert.match(variable, /^KAFKA_USERNAME$|^OTEL_.*_HEADERS$/);
    const env = environmentIn(workload, dir.path);
    const config = (await serviceNames()).includes(name)
      ? await readConfigOf(name, env)
      : loadConfig(env, { ...mongoVariables, ...kafkaVariables, ...objectVariables });
    const { kafkaPassword = () => SECRETS.KAFKA_PASSWORD, redisUrl = SECRETS.REDIS_URL } = config as {
      kafkaPassword?: () => string;
      redisUrl?: string;
    };
    assert.deepEqual([kafkaPassword(), redisUrl], [SECRETS.KAFKA_PASSWORD, SECRETS.REDIS_URL], name);
  }
  const media = workloads.find(({ metadata }) => metadata.name === 'media')!;
  await rm(join(dir.path, 'S3_SECRET_KEY'));
  await assert.rejects(readConfigOf('media', environmentIn(media, dir.path)), /S3_SECRET_KEY_FILE.*\(ENOENT\)/);
});

test('KEDA logs in by a Secret of its own, in the component and in the chart', async () => {
  const login = (text: string) => parse(text).find(({ kind }) => kind === 'TriggerAuthentication')?.spec;
  const components = ['scaling/keda-login', 'secrets-as-files/keda'].map(name => join(BASE, '..', name));
  const ofOverlay = login(await renderOverlay(tools, { resources: [BASE], components }));
  assert.deepEqual(login(await chart.template(values, EXAMPLE)), ofOverlay);
  const keys = ofOverlay.secretTargetRef.map(({ parameter, name, key }: Record<string, string>) => [
    parameter,
    name,
    key,
  ]);
  assert.deepEqual(keys, [
    ['username', 'keda-kafka', 'KAFKA_USERNAME'],
    ['password', 'keda-kafka', 'KAFKA_PASSWORD'],
    ['ca', 'servers-ca', 'kafka.crt'],
  ]);
  assert.match(await chart.refusal({ ...values, kedaSecret: '' }, EXAMPLE), /secretFiles needs kedaSecret/);
});

test('the chart refuses values with which a secret would be lost', async () => {
  const { REDIS_URL_FILE: _, ...settings } = SETTINGS;
  assert.match(await chart.refusal({ ...values, settings }, EXAMPLE), /needs settings\.REDIS_URL_FILE/);
  const services = { gateway: { settings: { REDIS_URL_FILE: '/secrets/REDIS_URL' } } };
  await chart.template({ ...values, settings, services }, EXAMPLE);
  assert.match(await chart.refusal({ secretFiles: true, profile: 'local' }), /secretFiles needs profile=production/);
});
