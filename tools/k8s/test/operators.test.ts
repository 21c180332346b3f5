import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { CONSUMERS, type EventType, PRODUCED, serviceOfGroup, TOPICS, topicOf } from '@recording-request/events/topics';
import { RETENTION } from '@recording-request/kit-kafka/retention';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { renderOverlay } from '../src/chart.ts';
import { faultsOf } from '../src/faults.ts';
import { ensureManifestTools } from '../src/install.ts';
import { type Manifest, parse, render } from '../src/manifests.ts';
import { refusedPods } from '../src/pod-security.ts';
import { OPERATORS, ROOT, readEnvFile, serviceNames } from '../src/repository.ts';

const tools = await ensureManifestTools({ env: process.env, log: line => console.error(line) });
const text = await render(tools, OPERATORS);
const all = parse(text);
const ofKind = (kind: string) => all.filter(object => object.kind === kind);
const settings = await readEnvFile(join(OPERATORS, 'product/settings.env'));

const CLUSTER = new Set(['Namespace', 'StorageClass']);

/** Returns kubectl-validate's messages about the overlay with one change. */
async function faultsWith(file: string, from: string, to: string): Promise<string> {
  await using dir = await tempDir();
  await cp(join(ROOT, 'deploy/k8s'), dir.path, { recursive: true });
  const path = join(dir.path, 'overlays/operators', file);
  const before = await readFile(path, 'utf8');
  assert.ok(before.includes(from), `${file} no longer has ${from}`);
  await writeFile(path, before.replace(from, to));
  return faultsOf(tools, await render(tools, join(dir.path, 'overlays/operators')));
}

test('the overlay is valid, its custom resources too, and each object is in the namespace of its part', async () => {
  assert.equal(await faultsOf(tools, text), '');
  const namespaces = new Set(all.filter(({ kind }) => !CLUSTER.has(kind)).map(({ metadata }) => metadata.namespace));
  assert.deepEqual([...namespaces].sort(), ['recording-request', 'recording-request-servers', 'rook-ceph']);
});

for (const [file, from, to, told] of [
  ['servers/kafka.yaml', 'userOperator: {}', 'usersOperator: {}', /usersOperator/],
  ['servers/users.yaml', 'DescribeConfigs]', 'DescribeAll]', /DescribeAll/],
  ['servers/topics.yaml', 'partitions: 6', 'partitions: six', /partitions/],
  ['servers/mongo.yaml', 'members: 3', 'member: 3', /member/],
  ['bucket.yaml', 'securePort: 443', 'sslPort: 443', /sslPort/],
] as const)
  test(`finds a mistake in ${file}`, async () => {
    assert.match(await faultsWith(file, from, to), told);
  });

/**
 * The security contexts that MongoDB's operator sets on its pods and containers (`DefaultPodSecurityContext`,
 * `DefaultSecurityContext` of v0.13.0).
 */
const MADE_BY_MONGO: Manifest = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'mongo' },
  spec: {
    template: {
      spec: {
        securityContext: { runAsUser: 2000, runAsNonRoot: true, fsGroup: 2000 },
        containers: [
          { name: 'mongod', securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false } },
        ],
      },
    },
  },
};

test('the servers’ namespace admits the operators’ pods, which keep the user that their operator sets', async () => {
  assert.match((await refusedPods(tools.podSecurity, [MADE_BY_MONGO])).join(), /capabilities/);
  const servers = all.find(({ kind, metadata }) => kind === 'Namespace' && metadata.name.endsWith('-servers'))!;
  assert.equal(servers.metadata.labels?.['pod-security.kubernetes.io/enforce'], 'baseline');
  const [mongo] = ofKind('MongoDBCommunity');
  assert.ok(
    !('securityContext' in mongo!.spec.statefulSet.spec.template.spec),
    'it would replace the operator’s whole context',
  );
});

test('MongoDB soon elects a new primary after a loss', () => {
  const [mongo] = ofKind('MongoDBCommunity');
  assert.deepEqual(mongo!.spec.automationConfig.replicaSet.settings, { electionTimeoutMillis: 5_000 });
});

test('objects with data stay when Helm removes or replaces the rest', () => {
  const kinds = ['Kafka', 'KafkaNodePool', 'MongoDBCommunity', 'CephObjectStore', 'StorageClass', 'ObjectBucketClaim'];
  const servers = all.find(({ kind, metadata }) => kind === 'Namespace' && metadata.name.endsWith('-servers'))!;
  for (const { kind, metadata } of [servers, ...kinds.flatMap(ofKind)])
    assert.equal(metadata.annotations?.['helm.sh/resource-policy'], 'keep', `${kind} ${metadata.name}`);
});

test('every topic exists, with the partitions, copies and retention of a migration', () => {
  const topics = ofKind('KafkaTopic');
  assert.deepEqual(topics.map(({ metadata }) => metadata.name).sort(), [...TOPICS].sort());
  const config = Object.fromEntries(RETENTION.map(({ name, value }) => [name, Number(value)]));
  for (const { metadata, spec } of topics) {
    assert.equal(String(spec.partitions), settings.KAFKA_PARTITIONS, metadata.name);
    assert.equal(String(spec.replicas), settings.KAFKA_REPLICATION);
    const least = Number(settings.KAFKA_MIN_INSYNC_REPLICAS);
    assert.deepEqual(spec.config, { ...config, 'min.insync.replicas': least });
  }
});

type Rights = Record<string, string[]>;

/** Returns the operations on each topic and group that the code of a service needs. */
function neededBy(service: string): Rights {
  const rights: Rights = {};
  for (const topic of TOPICS) {
    // A backup reads the offsets, but no records.
    if (service === 'backup') {
      rights[`topic ${topic}`] = ['Describe'];
      continue;
    }
    const reads = CONSUMERS.some(([read, group]) => read === topic && serviceOfGroup(group) === service);
    const writes = PRODUCED[service]?.includes(topic);
    // Each service describes all topics and their configuration when it starts. A migration does the same for existing
    // topics.
    rights[`topic ${topic}`] = [
      ...(reads ? ['Read'] : []),
      ...(writes ? ['Write'] : []),
      'Describe',
      'DescribeConfigs',
    ];
  }
  for (const [, group] of CONSUMERS) {
    if (serviceOfGroup(group) === service) rights[`group ${group}`] = ['Read', 'Describe'];
    // These services count the waiting records of each group.
    else if (service === 'submissions' || service === 'backup') rights[`group ${group}`] = ['Describe'];
  }
  return rights;
}

test('each service, the migration and the backup have exactly the rights at Kafka that their code needs', () => {
  const users = ofKind('KafkaUser');
  const services = new Set([
    ...Object.keys(PRODUCED),
    ...CONSUMERS.map(([, group]) => serviceOfGroup(group)),
    'migrate',
    'backup',
  ]);
  assert.deepEqual(users.map(({ metadata }) => metadata.name).sort(), [...services].sort());
  for (const { metadata, spec } of users) {
    const { acls, type } = spec.authorization as { type: string; acls: Acl[] };
    assert.equal(type, 'simple');
    // An ACL must have only these fields: no pattern, host or denial.
    for (const acl of acls) assert.deepEqual(Object.keys(acl).sort(), ['operations', 'resource']);
    const given = Object.fromEntries(
      acls.map(({ resource, operations }) => [`${resource.type} ${resource.name}`, operations]),
    );
    assert.deepEqual(given, neededBy(metadata.name), metadata.name);
  }
});

interface Acl {
  resource: { type: string; name: string };
  operations: string[];
}

test('services publish and consume what the tables of packages/events list', async () => {
  for (const service of await serviceNames()) {
    const files = globSync('src/**/*.ts', { cwd: join(ROOT, 'services', service) }).filter(
      file => !file.endsWith('.test.ts'),
    );
    const sources = await Promise.all(files.map(file => readFile(join(ROOT, 'services', service, file), 'utf8')));
    const source = sources.join('\n');
    const groups = new Set(source.matchAll(/\bgroup: '([a-z-]+)'/g).map(([, group]) => group!));
    const known = CONSUMERS.filter(([, group]) => serviceOfGroup(group) === service);
    assert.deepEqual([...groups].sort(), known.map(([, group]) => group).sort(), `the groups of ${service}`);
    // The file of an event producer contains the names of its events. Other files may name events that owners see.
    const producers = sources.filter(each => each.includes('newEvent('));
    const names = producers
      .join('\n')
      .matchAll(/'([a-z]+(?:\.[a-z]+)+)'/g)
      .map(([, name]) => name!);
    const made = [...names].map(name => topicOf(name as EventType)).filter(topic => topic !== undefined);
    const parked = known.length > 0 || source.includes('startRelay(') ? ['parked'] : [];
    const again = source.includes('kafka.replay(') ? CONSUMERS.map(([topic]) => topic) : [];
    const published = new Set<string>([...made, ...parked, ...again]);
    assert.deepEqual([...published].sort(), [...(PRODUCED[service] ?? [])].sort(), `the topics of ${service}`);
  }
});

test('each service, the migration and the backup log in as an existing user, with an external Secret', async () => {
  const kafka = new Set(ofKind('KafkaUser').map(({ metadata }) => metadata.name));
  const mongo = new Map(
    (ofKind('MongoDBCommunity')[0]!.spec.users as MongoUser[]).map(({ name, roles }) => [name, roles]),
  );
  const envOf = ({ spec }: Manifest): Map<string, EnvVariable> =>
    new Map((spec.template.spec.containers[0].env as EnvVariable[]).map(each => [each.name, each]));
  const secretOf = (variable: EnvVariable | undefined) => variable?.valueFrom?.secretKeyRef?.name;
  const overlay = parse(
    await renderOverlay(tools, { resources: [OPERATORS], components: [join(OPERATORS, 'backup')] }),
  );
  const nightly = overlay.find(({ kind }) => kind === 'CronJob')!;
  const backup = { ...nightly, spec: nightly.spec.jobTemplate.spec };
  for (const workload of [...ofKind('Deployment'), ...ofKind('Job'), backup]) {
    const { name } = workload.metadata;
    const env = envOf(workload);
    assert.equal(env.get('KAFKA_USERNAME')?.value, kafka.has(name) ? name : undefined, name);
    assert.equal(secretOf(env.get('KAFKA_PASSWORD')), kafka.has(name) ? `kafka-${name}` : undefined, name);
    assert.equal(secretOf(env.get('MONGO_URL')), mongo.has(name) ? `mongo-${name}` : undefined, name);
    if (env.has('S3_ACCESS_KEY'))
      assert.equal(secretOf(env.get('S3_ACCESS_KEY')), ofKind('ObjectBucketClaim')[0]!.metadata.name);
  }
  for (const [name, roles] of mongo)
    if (name !== 'migrate' && name !== 'backup')
      assert.deepEqual(roles, [{ name: 'readWrite', db: name }], `${name} has only its own database`);
});

interface MongoUser {
  name: string;
  roles: { name: string; db: string }[];
}

interface EnvVariable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef?: { name: string } };
}
