import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { renderOverlay } from '../src/chart.ts';
import { environmentOf } from '../src/environment.ts';
import { ensureHelm, ensureKustomize } from '../src/install.ts';
import { type Manifest, parse, podOf } from '../src/manifests.ts';
import { LOCAL, PRODUCTION, readConfigOf, serviceNames } from '../src/repository.ts';
import { EXAMPLE, openChart } from './rendered-chart.ts';

const context = { env: process.env, log: (line: string) => console.error(line) };
const kustomize = await ensureKustomize(context);
const chart = await openChart({ kustomize }, await ensureHelm(context));
after(() => chart[Symbol.asyncDispose]());
const { template, refusal } = chart;

/** Renders an overlay with settings of services. */
function overlay(folder: string, settings: Record<string, string[]>): Promise<string> {
  const configMapGenerator = Object.entries(settings).map(([name, literals]) => {
    return { name, namespace: 'recording-request', behavior: 'merge', literals };
  });
  return renderOverlay({ kustomize }, { resources: [folder], configMapGenerator });
}

/** Returns the pods that an upgrade from one rendering to another restarts. */
function restarted(before: string, after: string): string[] {
  const podsOf = (text: string) =>
    new Map(parse(text).flatMap(each => (podOf(each) ? [[each.metadata.name, JSON.stringify(podOf(each))]] : [])));
  const old = podsOf(before);
  return [...podsOf(after)].filter(([name, pod]) => old.get(name) !== pod).map(([name]) => name!);
}

test('a changed setting of one service restarts only this service, in an overlay and in the chart', async () => {
  const before = await overlay(PRODUCTION, {});
  assert.deepEqual(restarted(before, await overlay(PRODUCTION, { 'settings-media': ['MEDIA_SLOTS=2'] })), ['media']);
  const common = restarted(before, await overlay(PRODUCTION, { settings: ['LOG_LEVEL=debug'] }));
  assert.deepEqual(common.sort(), [...(await serviceNames()), 'migrate'].sort());
  const plain = await template({}, EXAMPLE);
  for (const name of await serviceNames()) {
    const values = { services: { [name]: { settings: { LOG_LEVEL: 'debug' } } } };
    assert.deepEqual(restarted(plain, await template(values, EXAMPLE)), [name]);
  }
});

test('a setting of one service overrides the common one, in an overlay and in the chart', async () => {
  const ofOverlay = await overlay(LOCAL, { settings: ['MEDIA_SLOTS=3'], 'settings-media': ['MEDIA_SLOTS=2'] });
  const services = { media: { settings: { MEDIA_SLOTS: 2 } } };
  const ofChart = await template({ profile: 'local', settings: { MEDIA_SLOTS: 3 }, services });
  for (const text of [ofOverlay, ofChart]) {
    const all = parse(text);
    const media = all.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'media')!;
    assert.equal((await readConfigOf('media', environmentOf(media, all))).concurrency, 2);
    const others = all.filter(({ kind, metadata }) => kind === 'Deployment' && metadata.name !== 'media');
    for (const each of others) assert.equal(environmentOf(each, all).MEDIA_SLOTS, '3', each.metadata.name);
  }
});

test('the chart checks the settings of a service like the common ones, and together with them', async () => {
  const of = (name: string, settings: object, more: object = {}) => ({ services: { [name]: { settings, ...more } } });
  assert.match(
    await refusal(of('media', { MEDIA_SLOT: 2 }), EXAMPLE),
    /services\.media\.settings\.MEDIA_SLOT: no service reads/,
  );
  assert.match(
    await refusal(of('projects', { SECRETS_KEY: 'k1:a' }), EXAMPLE),
    /\/services\/projects\/settings\/SECRETS_KEY/,
  );
  assert.match(
    await refusal(of('backup', { KAFKA_USER: 'backup' }), EXAMPLE),
    /services\.backup\.settings\.KAFKA_USER: no service reads/,
  );
  assert.match(await refusal({ services: { doctor: { settings: {} } } }, EXAMPLE), /'settings' not allowed/);
  const long = { MEDIA_JOB_SECONDS: 1_800 };
  const refused = await refusal(of('media', long), EXAMPLE);
  assert.match(
    refused,
    /services\.media\.graceSeconds: a job may take 1800 s \(services\.media\.settings\.MEDIA_JOB_SECONDS\)/,
  );
  await template(of('media', long, { graceSeconds: 1_825 }), EXAMPLE);
  // The variable of the container overrides all settings.
  assert.match(
    await refusal(of('media', { STOP_GRACE_SECONDS: 20 }), EXAMPLE),
    /services\.media\.settings\.STOP_GRACE_SECONDS has no effect.*: set services\.media\.graceSeconds/,
  );
  assert.match(
    await refusal(of('projects', { STOP_GRACE_SECONDS: 60 }), EXAMPLE),
    /services\.projects\.graceSeconds=80/,
  );
});

test('the migration and the backup have settings of their own, which win over the common ones and the Secret', async () => {
  const services = {
    migrate: { settings: { KAFKA_USERNAME: 'migrate' } },
    backup: { settings: { KAFKA_USERNAME: 'backup', BACKUP_STALL_SECONDS: 900 } },
  };
  const values = { settings: { KAFKA_USERNAME: 'clips' }, services, backup: { claim: 'backups' } };
  const all = parse(await template(values, EXAMPLE));
  const variablesOf = (kind: string, name: string) =>
    podOf(all.find(each => each.kind === kind && each.metadata.name === name)!)!.spec.containers[0].env;
  const named = (kind: string, name: string, variable: string) =>
    variablesOf(kind, name).filter((each: { name: string }) => each.name === variable);
  assert.deepEqual(named('Job', 'migrate', 'KAFKA_USERNAME'), [{ name: 'KAFKA_USERNAME', value: 'migrate' }]);
  assert.deepEqual(named('CronJob', 'backup', 'KAFKA_USERNAME'), [{ name: 'KAFKA_USERNAME', value: 'backup' }]);
  assert.deepEqual(named('CronJob', 'backup', 'BACKUP_STALL_SECONDS'), [
    { name: 'BACKUP_STALL_SECONDS', value: '900' },
  ]);
});

test('KEDA reads the topics of the service that it scales', async () => {
  const text = await template({ services: { media: { settings: { KAFKA_TOPIC_PREFIX: 'clips.' } } } }, EXAMPLE);
  const topicOf = (name: string) =>
    parse(text).find(({ kind, metadata }: Manifest) => kind === 'ScaledObject' && metadata.name === name)!.spec
      .triggers[0].metadata.topic;
  assert.deepEqual(['media', 'transcription'].map(topicOf), ['clips.media.work', 'transcription.work']);
});
