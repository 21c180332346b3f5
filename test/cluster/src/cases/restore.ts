import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { check } from '@recording-request/fault-test/check/checker';
import type { Manifest } from '@recording-request/k8s/manifests';
import { BASE } from '@recording-request/k8s/repository';
import type { ClusterCase } from '../cluster-case.ts';
import type { ClusterHarness } from '../harness.ts';
import { NAMESPACE } from '../product/overlay.ts';
import { endServices, type Product, productIn } from '../product/product.ts';
import { secretsFor } from '../product/secrets.ts';

export const ELSEWHERE = 'recording-request-restored';
const PLACE = { databasePrefix: 'restored_', topicPrefix: 'restored.', bucket: 'restored' };
const SETTINGS = {
  MONGO_DATABASE_PREFIX: PLACE.databasePrefix,
  KAFKA_TOPIC_PREFIX: PLACE.topicPrefix,
  S3_BUCKET: PLACE.bucket,
};
const COMPONENTS = [join(BASE, '../backup')];
/** The user id of the pods. */
const USER = 1_000;
const JOB_MS = 240_000;

/** Returns the volume claim `backup` of a namespace, and a volume that stores its files in a folder of the node. */
const volumeOf = (namespace: string, path: string): Manifest[] => [
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `backup-${namespace}` },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: 'static',
      hostPath: { path, type: 'Directory' },
      claimRef: { namespace, name: 'backup' },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'backup', namespace },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'static', resources: { requests: { storage: '1Gi' } } },
  },
];

/** Runs a Job from the template of the CronJob `backup`, as docs/operations.md describes. Resolves to its output. */
async function runJob(product: Product, objects: Manifest[], name: string, command: string[]): Promise<string> {
  const cron = objects.find(({ kind }) => kind === 'CronJob')!;
  const { spec } = structuredClone(cron.spec.jobTemplate);
  const [container] = spec.template.spec.containers;
  container.args = ['tools/admin/src/main.ts', ...command];
  const metadata = { name, namespace: cron.metadata.namespace! };
  await product.kubectl.apply([{ apiVersion: 'batch/v1', kind: 'Job', metadata, spec }]);
  await product.in(
    ['wait', '--for=condition=Complete', `job/${name}`, `--timeout=${JOB_MS / 1_000}s`],
    JOB_MS + 10_000,
  );
  return (await product.in(['logs', `job/${name}`])).trim();
}

const but = (objects: Manifest[], ...kinds: string[]) => objects.filter(({ kind }) => !kinds.includes(kind));
const only = (objects: Manifest[], ...kinds: string[]) => objects.filter(({ kind }) => kinds.includes(kind));

/** Backs up the installation, ends it, and restores the backup in another namespace, at the same address. */
async function move({ product, overlay, workDir, noted }: ClusterHarness): Promise<void> {
  const { kubectl } = product;
  const folder = join(workDir, 'backups');
  await mkdir(folder);
  await chown(folder, USER, USER);
  const here = await overlay('overlay-backup', { components: COMPONENTS });
  const there = await overlay('overlay-restored', { components: COMPONENTS, namespace: ELSEWHERE, settings: SETTINGS });
  await kubectl.apply([
    ...volumeOf(NAMESPACE, folder),
    ...only(here, 'ConfigMap', 'ServiceAccount', 'NetworkPolicy', 'CronJob'),
  ]);
  const path = '/backups/recording-request';
  noted(first(await runJob(product, here, 'backup-now', ['backup', '--to', path])));
  const secrets = await secretsFor(product, ELSEWHERE);
  await endServices(product);
  const restored = productIn(kubectl, ELSEWHERE);
  await kubectl.apply(only(there, 'Namespace'));
  await kubectl.apply([
    ...volumeOf(ELSEWHERE, folder),
    ...secrets,
    ...only(there, 'ConfigMap', 'ServiceAccount', 'NetworkPolicy'),
  ]);
  noted(first(await runJob(restored, there, 'restore', ['restore', '--from', path, '--send-webhooks'])));
  await kubectl.apply(but(there, 'Namespace', 'Job'));
  await restored.settled();
}

const first = (text: string): string => text.split('\n')[0]!;

export const restore: ClusterCase = {
  name: 'restore',
  promise:
    'a backup, restored into another namespace with other databases, topics and an empty bucket, has every clip, and contributors and owners continue at the same address',
  async run(harness, { random, clips }) {
    await harness.load(clips, random.fork('before'));
    const violations = await check(harness, random.fork('at rest'));
    if (violations.length > 0) throw new Error(`before the backup: ${violations.join('; ')}`);
    await move(harness);
    await harness.lookAt(PLACE);
    await harness.load(clips, random.fork('after'));
  },
};
