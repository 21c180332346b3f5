import { join } from 'node:path';
import { CHART } from '@recording-request/k8s/chart';
import type { Manifest } from '@recording-request/k8s/manifests';
import { BASE } from '@recording-request/k8s/repository';
import { loadConfig } from '@recording-request/kit/config';
import { connectMongo } from '@recording-request/kit-mongo/mongo';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { createObjects } from '@recording-request/kit-objects/objects';
import { objectVariables } from '@recording-request/kit-objects/variables';
import { SERVICES } from '@recording-request/stack/service-plan';
import { Kafka, logLevel } from 'kafkajs';
import type { ClusterCase } from '../cluster-case.ts';
import type { ClusterHarness } from '../harness.ts';
import { type LonePod, runLonePod } from '../product/lone-pods.ts';
import { type Product, productIn } from '../product/product.ts';

const NAMESPACE = 'bad-input';
/** Names that no other installation uses. The test fails if an object is created under them. */
const PLACE = { MONGO_DATABASE_PREFIX: 'bad_', KAFKA_TOPIC_PREFIX: 'bad.', S3_BUCKET: 'bad-input' };
/** The installation's names, which a backup reads. */
const INSTALLED = { MONGO_DATABASE_PREFIX: '', KAFKA_TOPIC_PREFIX: '', S3_BUCKET: 'recording-request' };
const CONFIGURATION = 78;
const GONE_MS = 120_000;

interface Row extends LonePod {
  says: RegExp;
  /** The exit code; undefined if the container never runs. */
  status: number | undefined;
}

const memory = (sizeLimit: string) => ({ backups: { emptyDir: { medium: 'Memory', sizeLimit } } });

/** Each row has one fault. The message of its Pod must name the fault in one sentence. */
const rows = ({ MONGO_URL }: Record<string, string>): Row[] => [
  {
    ...{ name: 'secret-without-key', workload: 'projects', status: undefined },
    says: /^couldn't find key SECRETS_KEY in Secret bad-input\/recording-request$/,
  },
  {
    ...{ name: 'setting-missing', workload: 'gateway', env: { PUBLIC_BASE_URL: '' }, status: CONFIGURATION },
    says: /^gateway: The configuration is not usable: PUBLIC_BASE_URL is not set$/,
  },
  {
    ...{ name: 'setting-malformed', workload: 'submissions', env: { RETENTION_DAYS: 'ninety' }, status: CONFIGURATION },
    says: /^submissions: The configuration is not usable: RETENTION_DAYS must be a whole number from 0 to 36500$/,
  },
  {
    ...{ name: 'certificate-missing', workload: 'webhooks', status: CONFIGURATION },
    // The namespace's Secret has no SECRETS_KEY.
    env: { SECRETS_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` },
    says: /^webhooks: The configuration is not usable: TLS_CERT_FILE names \/tls\/tls\.crt, which cannot be read \(ENOENT\)$/,
  },
  {
    ...{ name: 'store-key-wrong', workload: 'media', env: { S3_SECRET_KEY: 'wrong' }, status: CONFIGURATION },
    says: /^media: The object store does not accept S3_ACCESS_KEY with S3_SECRET_KEY \(SignatureDoesNotMatch\)\.$/,
  },
  {
    ...{ name: 'mongo-login-wrong', workload: 'submissions', status: CONFIGURATION },
    env: { MONGO_URL: MONGO_URL!.replace('//', '//nobody:wrong@') },
    says: /^submissions: MongoDB does not accept the user or the password in MONGO_URL\.$/,
  },
  {
    ...{ name: 'mongo-address-malformed', workload: 'submissions', status: CONFIGURATION },
    env: { MONGO_URL: MONGO_URL!.replace('//', '//service:100%@') },
    says: /^submissions: MONGO_URL is no address that MongoDB’s driver takes: .*percent-encoded/,
  },
  {
    ...{ name: 'schema-too-old', workload: 'submissions', status: CONFIGURATION },
    says: /^submissions: The database bad_submissions has not been migrated, and this service needs version \d+: run .*migrate.* first\.$/,
  },
  {
    ...{ name: 'bucket-missing', workload: 'media', status: CONFIGURATION },
    says: /^media: The bucket bad-input does not exist: run .*migrate.* first\.$/,
  },
  {
    ...{ name: 'topics-missing', workload: 'transcription', status: CONFIGURATION },
    says: /^transcription: The topics .*bad\.transcription\.work.* do not exist: run .*migrate.* first\.$/,
  },
  {
    ...{ name: 'migration-store-key-wrong', workload: 'migrate', env: { S3_SECRET_KEY: 'wrong' } },
    status: CONFIGURATION,
    says: /^admin: The object store does not accept S3_ACCESS_KEY with S3_SECRET_KEY \(SignatureDoesNotMatch\)\.$/,
  },
  {
    ...{ name: 'migration-mongo-address-malformed', workload: 'migrate', status: CONFIGURATION },
    env: { MONGO_URL: MONGO_URL!.replace('//', '//service:100%@') },
    says: /^admin: MONGO_URL is no address that MongoDB’s driver takes: .*percent-encoded/,
  },
  {
    ...{ name: 'migration-setting-malformed', workload: 'migrate', env: { KAFKA_PARTITIONS: 'six' } },
    status: CONFIGURATION,
    says: /^admin: The configuration is not usable: KAFKA_PARTITIONS must be a whole number from 1 to 1000$/,
  },
  {
    ...{ name: 'setting-unknown', workload: 'migrate', env: { SETTING_RETENTION_DAY: '30' }, status: CONFIGURATION },
    says: /^admin: The configuration is not usable: no program reads a setting RETENTION_DAY: .*; a similar one is RETENTION_DAYS$/,
  },
];

/** The volume is too small for the objects. */
const FULL: Row = {
  ...{ name: 'volume-full', workload: 'backup', env: INSTALLED, volumes: memory('64Ki'), status: 1 },
  says: /^admin: The backup was not completed: the volume of \/backups\/recording-request is full, make room on it\. Run it again; copied objects are not copied twice\.$/,
};

/** Returns the objects that only a pod of this namespace could have created. */
async function made({ serversEnv }: ClusterHarness): Promise<string[]> {
  await using closing = new AsyncDisposableStack();
  const settings = loadConfig(serversEnv, mongoVariables);
  const mongo = closing.adopt(await connectMongo(settings, 'admin', 'cluster-test'), each => each.close());
  const { databases } = await mongo.db!.admin().listDatabases({ nameOnly: true });
  const kafka = new Kafka({ brokers: serversEnv.KAFKA_BROKERS!.split(','), logLevel: logLevel.NOTHING }).admin();
  closing.defer(() => kafka.disconnect());
  await kafka.connect();
  const topics = await kafka.listTopics();
  const bucket = createObjects(loadConfig({ ...serversEnv, ...PLACE }, objectVariables));
  const isThere = await Array.fromAsync(bucket.list('')).then(
    () => true,
    error => {
      if (error.code === 'NoSuchBucket') return false;
      throw error;
    },
  );
  return [
    ...databases.map(({ name }) => name).filter(name => name.startsWith(PLACE.MONGO_DATABASE_PREFIX)),
    ...topics.filter(topic => topic.startsWith(PLACE.KAFKA_TOPIC_PREFIX)),
    ...(isThere ? [PLACE.S3_BUCKET] : []),
  ];
}

/** Creates a namespace with the installation's Secrets, except one key and one certificate. */
async function makeNamespace({ product }: ClusterHarness, objects: Manifest[]): Promise<void> {
  const { kubectl } = product;
  const { items } = JSON.parse(await product.in(['get', 'secrets', '--output=json']));
  const secrets = items
    .filter(({ metadata }: Manifest) => metadata.name !== 'tls-webhooks')
    .map(({ apiVersion, kind, type, data: { SECRETS_KEY: _, ...data }, metadata: { name } }: Manifest) => ({
      ...{ apiVersion, kind, type, data },
      metadata: { name, namespace: NAMESPACE },
    }));
  await kubectl.apply(objects.filter(({ kind }) => kind === 'Namespace'));
  await kubectl.apply([...secrets, ...objects.filter(({ kind }) => ['ConfigMap', 'ServiceAccount'].includes(kind))]);
}

async function judgePod({ violated, noted }: ClusterHarness, here: Product, objects: Manifest[], row: Row) {
  const { status, said } = await runLonePod(here, objects, row);
  // The message may also contain JSON log lines, from before the fault or about interrupted work.
  const sentences = said.split('\n').filter(line => !line.startsWith('{'));
  const sentence = sentences.at(-1) ?? '';
  noted(`${row.name}: ${status ?? 'not started'}, “${sentence}”`);
  if (status !== row.status) violated(`${row.name}: exited with ${status}, not ${row.status}: ${said}`);
  if (!row.says.test(sentence)) violated(`${row.name}: the Pod's message does not name the fault: ${said}`);
  if (row.status !== 1 && sentences.length !== 1)
    violated(`${row.name}: the Pod's message is longer than a sentence: ${said}`);
}

/** Tries input that the server or the chart must refuse before it creates objects. */
async function judgeRefusals(
  { product, helm, violated, noted }: ClusterHarness,
  here: Product,
  objects: Manifest[],
): Promise<void> {
  const typo = structuredClone(objects.find(({ kind }) => kind === 'Deployment')!);
  typo.spec.template.spec.containers[0].imagePulPolicy = 'Always';
  const values = ['--values', join(CHART, 'values.production.example.yaml'), '--set', 'replicas=3'];
  const attempts: [what: string, says: RegExp, attempt: () => Promise<unknown>][] = [
    [
      'unknown field of an object',
      /\.spec\.template\.spec\.containers\[.*\]\.imagePulPolicy: field not declared/,
      () => product.kubectl.apply([typo], ['--server-side', '--validate=strict']),
    ],
    [
      'unknown value of the chart',
      /additional properties 'replicas' not allowed/,
      () => helm(['install', 'bad-input', CHART, '--namespace', NAMESPACE, ...values]),
    ],
  ];
  for (const [what, says, attempt] of attempts) {
    const said = await attempt().then(
      () => 'no error: it was accepted',
      error => (error as Error).message,
    );
    noted(`${what}: “${said.trim().split('\n').at(-1)}”`);
    if (!says.test(said)) violated(`${what}: the error does not name it: ${said}`);
  }
  const left = await here.in(['get', 'deployments,services,jobs,secrets', '--output=name']);
  const applied = left.split('\n').filter(name => name !== '' && !/^secret\/(recording-request|tls-\w+)$/.test(name));
  if (applied.length > 0) violated(`refused, but applied in part: ${applied.join(', ')}`);
}

export const badInput: ClusterCase = {
  name: 'bad-input',
  promise:
    'the Pod or the command names a missing value, an unknown key, a wrong credential, an old schema or a full volume in one sentence, and nothing is applied in part',
  async run(harness, { random, clips }) {
    const { product, overlay, serversEnv, violated } = harness;
    const { kubectl } = product;
    await harness.load(clips, random);
    const restarts = async () => (await Promise.all(SERVICES.map(product.pods))).flat().map(pod => pod.restarts);
    const before = await restarts();
    const objects = await overlay('overlay-bad-input', {
      namespace: NAMESPACE,
      settings: PLACE,
      components: [join(BASE, '../backup')],
    });
    const here = productIn(kubectl, NAMESPACE);
    await using cleaning = new AsyncDisposableStack();
    cleaning.defer(() => kubectl.run(['delete', 'namespace', NAMESPACE, '--ignore-not-found'], GONE_MS).then(() => {}));
    await makeNamespace(harness, objects);
    await Promise.all(rows(serversEnv).map(row => judgePod(harness, here, objects, row)));
    await judgePod(harness, here, objects, FULL);
    // The interrupted backup does not block the next backup.
    const roomy = { ...FULL, name: 'volume-with-room', volumes: memory('512Mi') };
    const { status, said } = await runLonePod(here, objects, roomy);
    if (status !== 0) violated(`a backup after one with a full volume exited with ${status}: ${said}`);
    await judgeRefusals(harness, here, objects);
    const left = await made(harness);
    if (left.length > 0) violated(`applied in part: ${left.join(', ')}`);
    if ((await restarts()).join() !== before.join()) violated('pods of the installation restarted');
  },
};
