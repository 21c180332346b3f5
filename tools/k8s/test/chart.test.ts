import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { parse as parseYaml } from 'yaml';
import { CHART, idOf, renderOverlay, withoutHash } from '../src/chart.ts';
import { faultsOf } from '../src/faults.ts';
import { ensureHelm, ensureManifestTools } from '../src/install.ts';
import { type Manifest, parse, render } from '../src/manifests.ts';
import { LOCAL, OPERATORS, ROOT } from '../src/repository.ts';
import { ALL, secretsAmong } from '../src/settings.ts';
import { productionOverlay } from './production-overlay.ts';
import { EXAMPLE, isHook, openChart } from './rendered-chart.ts';

const runFile = promisify(execFile);
const context = { env: process.env, log: (line: string) => console.error(line) };
const tools = await ensureManifestTools(context);
const helm = await ensureHelm(context);
const chart = await openChart(tools, helm);
after(() => chart[Symbol.asyncDispose]());
const { template, refusal } = chart;
const ADDRESSES = ['PUBLIC_BASE_URL', 'KAFKA_BROKERS', 'S3_ENDPOINT', 'SPEECH_BASE_URL'];

/** Returns the objects by kind and name, without hashes in names, Helm's labels and the revision number. */
function comparable(text: string): Record<string, Manifest> {
  return comparableOf(parse(text));
}

function comparableOf(all: Manifest[]): Record<string, Manifest> {
  const objects = all.filter(({ kind }) => kind !== 'Namespace');
  return Object.fromEntries(
    objects.map(object => {
      const {
        'app.kubernetes.io/managed-by': _by,
        'app.kubernetes.io/instance': _of,
        ...labels
      } = {
        ...object.metadata.labels,
      };
      const name = object.kind === 'Job' ? object.metadata.name.replace(/-1$/, '') : withoutHash(object.metadata.name);
      const plain = { ...object, metadata: { ...object.metadata, name, labels } };
      const same = JSON.parse(JSON.stringify(plain), (_, value) =>
        typeof value === 'string' ? withoutHash(value) : value,
      );
      return [idOf(same), same];
    }),
  );
}

test('in a trial, the chart has the objects of the overlay', async () => {
  const text = await template({ profile: 'local' });
  assert.equal(await faultsOf(tools, text), '');
  assert.deepEqual(comparable(text), comparable(await render(tools, LOCAL)));
});

test('with operators, the chart has the objects of the overlay, and requires the installation’s values', async () => {
  const yours = { PUBLIC_BASE_URL: 'https://clips.example.com', SPEECH_BASE_URL: 'https://speech.example.com/v1' };
  const networks = {
    speech: [{ to: [{ ipBlock: { cidr: '10.4.0.0/24' } }], ports: [{ port: 443 }] }],
    edge: [{ from: [{ namespaceSelector: { matchLabels: { role: 'edge' } } }], ports: [{ port: 'http' }] }],
  };
  const common = { profile: 'operators', certManager: true, secretName: 'recording-request' };
  const text = await template({ ...common, settings: yours, networks });
  assert.equal(await faultsOf(tools, text), '');
  const patches = [policyPatch('to-speech', networks.speech), policyPatch('from-edge', networks.edge)];
  const overlay = await renderOverlay(tools, { resources: [OPERATORS], patches });
  assert.deepEqual(comparable(text), comparable(overlay));
  const elsewhere = parse(text).filter(({ metadata }) => metadata.namespace === 'recording-request-servers');
  assert.ok(
    elsewhere.some(({ kind }) => kind === 'KafkaUser'),
    'the servers have a separate namespace',
  );
  const refused = await refusal({ profile: 'operators' });
  for (const missing of [...Object.keys(yours), 'speech', 'edge', 'secretName'])
    assert.match(refused, new RegExp(missing));
});

/** Returns a patch of an overlay that sets the rules of a NetworkPolicy. */
function policyPatch(name: string, rules: object[]): object {
  const path = name.startsWith('from-') ? '/spec/ingress' : '/spec/egress';
  return { target: { kind: 'NetworkPolicy', name }, patch: JSON.stringify([{ op: 'replace', path, value: rules }]) };
}

const released = (text: string) => comparableOf(parse(text).filter(object => !isHook(object)));

/** Returns an overlay's objects without the migration, which the chart has only as hooks. */
function withoutMigration(text: string): Record<string, Manifest> {
  const { 'Job migrate': _job, 'ServiceAccount migrate': _account, ...rest } = comparable(text);
  return rest;
}

test('in production, the chart has the objects of an equivalent overlay', async () => {
  const text = await template({}, EXAMPLE);
  assert.equal(await faultsOf(tools, text), '');
  assert.deepEqual(released(text), withoutMigration(await productionOverlay(tools)));
});

test('writes a nightly backup to the claim in the values, in the chart and in the component', async () => {
  const text = await template({ backup: { claim: 'clips', schedule: '5 1 * * *' } }, EXAMPLE);
  assert.equal(await faultsOf(tools, text), '');
  const objects = released(text);
  const overlay = withoutMigration(await productionOverlay(tools, { components: ['../../backup'] }));
  const { spec } = overlay['CronJob backup']!;
  spec.schedule = '5 1 * * *';
  spec.jobTemplate.spec.template.spec.volumes[0].persistentVolumeClaim.claimName = 'clips';
  assert.deepEqual(objects, overlay);
  assert.match(await refusal({ backup: { claims: 'clips' } }, EXAMPLE), /additional properties 'claims' not allowed/);
  const operators = { profile: 'operators', certManager: true, backup: { claim: 'clips' } };
  assert.match(await refusal(operators, EXAMPLE), /backup: with profile=operators/);
});

test('writes a nightly backup to the bucket in the values, in the chart and in the component', async () => {
  const bucket = 's3://backups/nightly';
  const text = await template({ backup: { bucket, deadlineSeconds: 90_000 } }, EXAMPLE);
  assert.equal(await faultsOf(tools, text), '');
  const overlay = withoutMigration(await productionOverlay(tools, { components: ['../../backup-bucket'] }));
  const job = overlay['CronJob backup']!.spec.jobTemplate.spec;
  job.activeDeadlineSeconds = 90_000;
  job.template.spec.containers[0].args[3] = bucket;
  assert.deepEqual(released(text), overlay);
  assert.match(await refusal({ backup: { bucket: 'backups' } }, EXAMPLE), /\/backup\/bucket/);
  assert.match(await refusal({ backup: { bucket, claim: 'clips' } }, EXAMPLE), /exclude each other/);
});

const SECURE = {
  KAFKA_TLS: true,
  KAFKA_CA_FILE: '/servers-ca/kafka.crt',
  KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
};

test('KEDA uses TLS and a login where Kafka requires them, in the chart and in the component', async () => {
  const text = await template({ settings: SECURE }, EXAMPLE);
  assert.equal(await faultsOf(tools, text), '');
  const settings = Object.entries(SECURE).map(([name, value]) => `${name}=${value}`);
  const overlay = await productionOverlay(tools, { scaling: 'scaling/keda-login', settings });
  assert.deepEqual(released(text), withoutMigration(overlay));
});

test('with another mechanism and a topic prefix, the chart has the patches of deploy/servers.md', async () => {
  const guide = await readFile(join(ROOT, 'deploy/servers.md'), 'utf8');
  const [, shown] = /```\n(# KEDA at a Kafka[^`]*)```/.exec(guide) ?? assert.fail('the guide has no such patches');
  const { patches } = parseYaml(shown!) as { patches: object[] };
  const own = { ...SECURE, KAFKA_SASL_MECHANISM: 'SCRAM-SHA-256', KAFKA_TOPIC_PREFIX: 'clips.' };
  const settings = Object.entries(own).map(([name, value]) => `${name}=${value}`);
  const overlay = await productionOverlay(tools, { scaling: 'scaling/keda-login', settings, patches });
  assert.deepEqual(released(await template({ settings: own }, EXAMPLE)), withoutMigration(overlay));
});

test('the patches and the values in deploy/k8s/README.md are equivalent', async () => {
  const guide = await readFile(join(ROOT, 'deploy/k8s/README.md'), 'utf8');
  const shown = (first: string) => {
    const [, text] =
      new RegExp(`\`\`\`\n(# ${first}:[^\`]*)\`\`\``).exec(guide) ?? assert.fail(`the guide has no ${first}`);
    return parseYaml(text!);
  };
  const { patches } = shown('Patches') as { patches: object[] };
  const text = await template(shown('Values'), EXAMPLE);
  assert.equal(await faultsOf(tools, text), '');
  assert.deepEqual(released(text), withoutMigration(await productionOverlay(tools, { patches })));
});

test('KEDA logs in without TLS, or uses TLS without a login; the chart refuses an unsupported login', async () => {
  const triggerWith = async (settings: object) => {
    const { spec } = comparable(await template({ settings }, EXAMPLE))['ScaledObject media']!;
    const { tls, sasl } = spec.triggers[0].metadata;
    return [tls, sasl, spec.triggers[0].authenticationRef?.name];
  };
  assert.deepEqual(await triggerWith({}), [undefined, undefined, undefined]);
  assert.deepEqual(await triggerWith({ KAFKA_TLS: true }), ['enable', 'none', 'kafka']);
  assert.deepEqual(await triggerWith({ KAFKA_SASL_MECHANISM: 'SCRAM-SHA-256' }), ['disable', 'scram_sha256', 'kafka']);
  const bearer = { ...SECURE, KAFKA_SASL_MECHANISM: 'OAUTHBEARER' };
  assert.match(await refusal({ settings: bearer }, EXAMPLE), /cannot log in with KAFKA_SASL_MECHANISM=OAUTHBEARER/);
  const certificate = { ...SECURE, KAFKA_CERT_FILE: '/kafka-tls/tls.crt' };
  assert.match(
    await refusal({ settings: certificate }, EXAMPLE),
    /cannot use the client certificate of KAFKA_CERT_FILE/,
  );
});

test('in production, the migration runs before the new version, with copies of all objects that it needs', async () => {
  const text = await template({}, EXAMPLE);
  const hooks = parse(text).filter(isHook);
  const overlay = comparable(await productionOverlay(tools));
  const needed = Object.values(overlay).filter(
    ({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === 'migration',
  );
  assert.equal(hooks.length, needed.length);
  for (const { metadata, kind } of hooks)
    assert.deepEqual(metadata.annotations, {
      'helm.sh/hook': 'pre-install,pre-upgrade',
      // The Job has a higher weight, because Helm first waits for hooks with a lower weight.
      'helm.sh/hook-weight': kind === 'Job' ? '0' : '-1',
      // The Job stays until the next migration, for its log. `helm uninstall` keeps it.
      'helm.sh/hook-delete-policy': kind === 'Job' ? 'before-hook-creation' : 'before-hook-creation,hook-succeeded',
    });
  const without = hooks.map(({ metadata: { annotations: _, labels = {}, ...metadata }, ...object }) => {
    const { 'recording-request/hook': of, ...rest } = labels;
    assert.equal(of, 'migration', 'the label selects only the hooks');
    return { ...object, metadata: { ...metadata, labels: rest } };
  });
  const made = comparableOf(without as Manifest[]);
  for (const { configMapRef } of made['Job migrate']!.spec.template.spec.containers[0].envFrom) {
    assert.deepEqual(made[`ConfigMap ${configMapRef.name}`]!.data, overlay['ConfigMap settings']!.data);
    configMapRef.name = 'settings';
  }
  for (const name of ['Job migrate', 'ServiceAccount migrate']) {
    // With Argo CD's hook, Argo CD would ignore Helm's.
    delete overlay[name]!.metadata.annotations;
    assert.deepEqual(made[name], overlay[name]);
  }
  for (const { kind, metadata, spec } of needed)
    if (kind === 'NetworkPolicy')
      assert.deepEqual(made[`NetworkPolicy migrate-${metadata.name}`]!.spec, {
        ...spec,
        podSelector: { matchLabels: { 'app.kubernetes.io/name': 'migrate' } },
      });
});

test('runs no hook when the servers are part of the release', async () => {
  assert.deepEqual(parse(await template({ profile: 'local' })).filter(isHook), []);
});

test('the Ingress has the class, hosts and certificate of the values, and pods have its replicas and bounds', async () => {
  const text = await template(
    {
      edge: {
        kind: 'ingress',
        ingress: { className: 'traefik', tlsSecret: 'clips-tls', annotations: { 'example.com/timeout': '0' } },
      },
      scaling: 'none',
      services: { media: { replicas: 5 }, gateway: { autoscaling: { min: 3, max: 20 } } },
      secretName: 'ours',
      settings: { RETENTION_DAYS: 30, UPLOAD_MAX_BYTES: 1_073_741_824 },
    },
    EXAMPLE,
  );
  assert.equal(await faultsOf(tools, text), '');
  const objects = comparable(text);
  const { metadata, spec } = objects['Ingress gateway']!;
  assert.deepEqual(
    [spec.ingressClassName, spec.rules[0].host, spec.tls[0].secretName],
    ['traefik', 'clips.corp.internal', 'clips-tls'],
  );
  assert.partialDeepStrictEqual(metadata, {
    annotations: { 'example.com/timeout': '0', 'nginx.ingress.kubernetes.io/proxy-body-size': '0' },
  });
  assert.equal(objects['Deployment media']!.spec.replicas, 5);
  assert.partialDeepStrictEqual(objects['HorizontalPodAutoscaler gateway']!.spec, { minReplicas: 3, maxReplicas: 20 });
  const secretOf = (service: string, variable: string) =>
    objects[`Deployment ${service}`]!.spec.template.spec.containers[0].env.find(
      ({ name }: { name: string }) => name === variable,
    ).valueFrom.secretKeyRef.name;
  assert.equal(secretOf('gateway', 'REDIS_URL'), 'ours');
  assert.equal(secretOf('projects', 'SECRETS_KEY'), 'recording-request-projects');
  const { RETENTION_DAYS, UPLOAD_MAX_BYTES } = objects['ConfigMap settings']!.data;
  assert.deepEqual([RETENTION_DAYS, UPLOAD_MAX_BYTES], ['30', '1073741824']);
});

test('names required values that are missing, and unknown ones', async () => {
  const nothing = await refusal({});
  for (const name of [...ADDRESSES, 'secretName', 'mongo', 'kafka', 'objects', 'speech', 'edge'])
    assert.match(nothing, new RegExp(`missing propert(?:y|ies) .*'${name}'`));
  assert.match(await refusal({ replicas: 3 }, EXAMPLE), /additional properties 'replicas' not allowed/);
  assert.match(await refusal({ services: { web: { replicas: 3 } } }, EXAMPLE), /'web' not allowed/);
  assert.match(await refusal({ secretNames: { web: 'ours' } }, EXAMPLE), /'web' not allowed/);
  for (const name of ['S3_BUCKETS', 'RETENTION_DAY', 'OTEL_TRACES_SAMPLERS'])
    assert.match(
      await refusal({ settings: { [name]: '1' } }, EXAMPLE),
      new RegExp(`settings.${name}: no service reads`),
    );
  await template({ settings: { S3_BUCKET: 'clips', TRACE_READS_RATIO: 0.5, NODE_OPTIONS: '--no-warnings' } }, EXAMPLE);
  for (const name of ['SECRETS_KEY', 'KAFKA_PASSWORD', 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_LOGS_HEADERS'])
    assert.match(await refusal({ settings: { [name]: 'secret' } }, EXAMPLE), new RegExp(`at '/settings/${name}'`));
});

test('accepts for each secret a file in the settings', async () => {
  const files = Object.fromEntries(secretsAmong(ALL).map(name => [`${name}_FILE`, `/servers-ca/${name}`]));
  assert.ok('KAFKA_PASSWORD_FILE' in files && 'REDIS_URL_FILE' in files && 'MEDIA_OFFLOAD_SECRET_FILE' in files);
  const { data } = comparable(await template({ settings: files }, EXAMPLE))['ConfigMap settings']!;
  assert.partialDeepStrictEqual(data, files);
  const none = { settings: { LOG_LEVEL_FILE: '/x' } };
  assert.match(await refusal(none, EXAMPLE), /settings\.LOG_LEVEL_FILE: no service reads/);
});

test('names empty and invalid values before anything is applied', async () => {
  for (const name of ADDRESSES)
    assert.match(await refusal({ settings: { [name]: '' } }, EXAMPLE), new RegExp(`at '/settings/${name}'.*minLength`));
  assert.match(await refusal({ settings: null, networks: null }, EXAMPLE), /missing properties 'settings', 'networks'/);
  assert.match(await refusal({ edge: { hosts: ['https://clips.example.com'] } }, EXAMPLE), /at '\/edge\/hosts\/0'/);
});

for (const [values, told] of [
  [{ services: { media: { replicas: 3 } } }, /services\.media\.replicas and scaling=keda exclude each other/],
  [{ services: { gateway: { replicas: 3 } } }, /services\.gateway\.replicas and its autoscaler exclude each other/],
  [
    { services: { gateway: { autoscaling: { min: 12, max: 10 } } } },
    /services\.gateway\.autoscaling: min \(12\) is more than max/,
  ],
  [
    { scaling: 'none', services: { media: { autoscaling: { max: 9 } } } },
    /services\.media\.autoscaling needs scaling=/,
  ],
  [{ edge: { kind: 'ingress', hosts: [], ingress: { tlsSecret: 'clips-tls' } } }, /tlsSecret needs edge\.hosts/],
  [{ services: { media: { tmp: '64Gi' } } }, /services\.media\.tmp needs .*limits\.ephemeral-storage/],
  [{ edge: { hosts: [] } }, /edge\.kind=gateway-api needs edge\.hosts/],
  [{ edge: { kind: 'none' } }, /edge\.hosts has no effect with edge\.kind=none/],
] as const)
  test(`refuses values that another value overrides: ${JSON.stringify(values)}`, async () => {
    assert.match(await refusal(values, EXAMPLE), told);
  });

test('changes only the resources in the values, and sets the size of /tmp', async () => {
  const services = { media: { resources: { limits: { 'ephemeral-storage': '65Gi' } }, tmp: '64Gi' } };
  const before = comparable(await template({}, EXAMPLE))['Deployment media']!.spec.template.spec;
  const after = comparable(await template({ services }, EXAMPLE))['Deployment media']!.spec.template.spec;
  const [{ resources }] = before.containers;
  assert.deepEqual(after.containers[0].resources, {
    ...resources,
    limits: { ...resources.limits, 'ephemeral-storage': '65Gi' },
  });
  const roomOf = ({ volumes }: typeof before) =>
    volumes.find(({ name }: { name: string }) => name === 'tmp').emptyDir.sizeLimit;
  assert.deepEqual([roomOf(before), roomOf(after)], ['16Gi', '64Gi']);
});

test('in a new checkout, names the command that creates the objects of the chart', async () => {
  await using bare = await tempDir();
  await cp(CHART, bare.path, { recursive: true, filter: source => !source.endsWith('/files') });
  const args = ['template', 'release', bare.path, '--kube-version', '1.34.0', '--set', 'profile=local'];
  await assert.rejects(runFile(helm, args), /the chart has no objects yet: run npm run chart/);
});
