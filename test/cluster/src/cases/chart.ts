import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { check } from '@recording-request/fault-test/check/checker';
import { copyChart } from '@recording-request/k8s/chart';
import type { Manifest } from '@recording-request/k8s/manifests';
import { loadConfig } from '@recording-request/kit/config';
import { readProgress } from '@recording-request/kit-kafka/progress';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import { until } from '@recording-request/testing/wait';
import { stringify } from 'yaml';
import type { ClusterCase } from '../cluster-case.ts';
import { type ClusterHarness, openHarness, type StoresPlace } from '../harness.ts';
import { chartValues } from '../product/chart-values.ts';
import { type Product, productIn, removeNamespaces } from '../product/product.ts';
import { secretsFor } from '../product/secrets.ts';
import { whileContributing, withoutFailures } from '../requests.ts';

const NAMESPACE = 'recording-request-chart';
const RELEASE = 'clips';
const SECRET = 'recording-request';
const STORES: StoresPlace = { databasePrefix: 'chart_', topicPrefix: 'chart.', bucket: 'chart' };
const SETTINGS = {
  MONGO_DATABASE_PREFIX: STORES.databasePrefix,
  KAFKA_TOPIC_PREFIX: STORES.topicPrefix,
  S3_BUCKET: STORES.bucket,
  PUBLIC_BASE_URL: `http://gateway.${NAMESPACE}.svc.cluster.local`,
};
/** The setting that an upgrade changes; every HTTP response shows it. */
const CHANGED = { name: 'RATE_LIMIT_TOKEN_PER_MINUTE', value: '123456' };
/** The setting that the upgrade's migration must use. */
const PARTITIONS = '7';
/**
 * Helm starts the pods of all Deployments at once, in addition to twenty-four others. With more load, two processors are
 * busy before the first pod starts, and requests fail because of the machine.
 */
const WIDTH = 1;
const READ_EVERY_MS = 100;
const WAIT_MS = 300_000;
const WAIT = ['--wait', `--timeout=${WAIT_MS / 1_000}s`];
const GONE = { limitMs: 120_000, everyMs: 1_000 };
/** The objects of a release in its namespace. */
const KINDS =
  'deployments,replicasets,pods,jobs,services,configmaps,serviceaccounts,networkpolicies,poddisruptionbudgets,horizontalpodautoscalers';
/** The objects that Kubernetes creates in every namespace. */
const EVERYWHERE = ['configmap/kube-root-ca.crt', 'serviceaccount/default'];
/** The common settings. Each revision has its own, so that pods of the previous revision can keep theirs. */
const SETTINGS_OF = /^configmap\/settings-[0-9a-f]{10}$/;
/**
 * These Jobs are hooks. Helm waits for them. It never uninstalls them, so that their logs stay, but deletes an old Job
 * before it creates the next one. It deletes their helper objects after a success.
 */
const HOOKS = /^(?:job\.batch\/(?:migrate|doctor)$|pod\/(?:migrate|doctor)-)/;

/** Creates the prerequisites of the chart: a namespace, and the Secrets that the chart does not create. */
async function prepare({ product, objects }: ClusterHarness): Promise<Product> {
  const namespace = structuredClone(objects.find(({ kind }) => kind === 'Namespace')!);
  namespace.metadata.name = NAMESPACE;
  await product.kubectl.apply([namespace]);
  await product.kubectl.apply(await secretsFor(product, NAMESPACE));
  return productIn(product.kubectl, NAMESPACE);
}

/** Returns the Secret values that the pods of projects got when they started. */
async function secretOf(there: Product): Promise<string | undefined> {
  const { spec }: Manifest = JSON.parse(await there.in(['get', 'deployment', 'projects', '--output=json']));
  return spec.template.metadata.annotations?.['recording-request/secret'];
}

/** Returns the owner's limit of requests a minute, from the API. */
async function limitShown({ owner }: ClusterHarness): Promise<string | undefined> {
  const { headers } = await owner.ask('/api/me');
  return /q=(\d+)/.exec(String(headers['ratelimit-policy']))?.[1];
}

async function partitionsOf({ serversEnv }: ClusterHarness): Promise<number> {
  const env = { ...serversEnv, KAFKA_TOPIC_PREFIX: STORES.topicPrefix };
  await using progress = await readProgress(loadConfig(env, kafkaVariables));
  return (await progress.positions('media.work', 'media')).length;
}

/** Checks the objects that remain in the namespace after `helm uninstall`. */
async function judgeRemains(there: Product, { violated }: ClusterHarness): Promise<void> {
  let left: string[] = [];
  const isEmpty = async () => {
    const names = (await there.in(['get', KINDS, '--output=name'])).split('\n').filter(Boolean);
    left = names.filter(name => !EVERYWHERE.includes(name) && !HOOKS.test(name));
    return left.length === 0;
  };
  await until('all objects of the release are gone', isEmpty, GONE).catch(() =>
    violated(`uninstalled, and still there: ${left.join(', ')}`),
  );
}

/** Installs, upgrades and uninstalls the chart while contributors send clips. */
async function live(
  harness: ClusterHarness,
  there: Product,
  { random, clips }: Parameters<ClusterCase['run']>[1],
): Promise<void> {
  const { helm, kustomize, serversEnv, objects, workDir, violated, noted, signal } = harness;
  const folder = join(workDir, 'chart');
  await mkdir(folder, { recursive: true });
  await copyChart({ kustomize }, join(folder, 'chart'));
  const values = join(folder, 'values.yaml');
  await writeFile(values, stringify(chartValues(serversEnv, SETTINGS, objects)));
  const run = async (command: string, args: string[] = []) => {
    const began = Date.now();
    await helm([command, RELEASE, `--namespace=${NAMESPACE}`, ...args], WAIT_MS + 30_000);
    noted(`helm ${command}: ${Math.round((Date.now() - began) / 1_000)} s`);
  };
  const apply = (command: string, ...more: string[]) =>
    run(command, [join(folder, 'chart'), `--values=${values}`, ...more, ...WAIT]);
  await apply('install');
  await there.settled();
  await run('test', WAIT.slice(1));
  const { spec }: Manifest = JSON.parse(await there.in(['get', 'service', 'gateway', '--output=json']));
  const where = { origin: `http://${spec.clusterIP}`, stores: STORES };
  await using own = await openHarness(
    { ...harness, product: there, dir: workDir },
    random.fork('chart'),
    signal,
    where,
  );
  await own.load(clips, random.fork('installed'));
  const settings = async () =>
    (await there.in(['get', 'configmaps', '--output=name'])).split('\n').filter(name => SETTINGS_OF.test(name));
  const [before = ''] = await settings();
  const started = await secretOf(there);
  const upgrade = async () => {
    await there.in(['patch', 'secret', SECRET, '--patch', JSON.stringify({ stringData: { CHANGED: 'today' } })]);
    const set = { [CHANGED.name]: CHANGED.value, KAFKA_PARTITIONS: PARTITIONS };
    await apply('upgrade', ...Object.entries(set).map(([name, value]) => `--set-string=settings.${name}=${value}`));
    await there.settled();
    const after = await settings();
    if ((await secretOf(there)) === started) violated('an upgrade with a changed Secret starts no new pods');
    if (after.length !== 2 || !after.includes(before))
      violated(`during an upgrade, pods of the previous revision have no settings to start with: ${after.join(', ')}`);
  };
  const plan = { random: random.fork('upgraded'), clips };
  await withoutFailures(own, () => whileContributing(own, plan, upgrade, { width: WIDTH }), {
    readEveryMs: READ_EVERY_MS,
  });
  const shown = await limitShown(own);
  if (shown !== CHANGED.value) violated(`after an upgrade that changes ${CHANGED.name}, the API shows ${shown}`);
  const partitions = await partitionsOf(own);
  if (partitions !== Number(PARTITIONS))
    violated(
      `the migration of an upgrade to KAFKA_PARTITIONS=${PARTITIONS} used other settings: the topic has ${partitions}`,
    );
  const back = { random: random.fork('rolled back'), clips };
  const rollback = async () => {
    await run('rollback', ['1', ...WAIT]);
    await there.settled();
  };
  await withoutFailures(own, () => whileContributing(own, back, rollback, { width: WIDTH }), {
    readEveryMs: READ_EVERY_MS,
  });
  const again = await limitShown(own);
  if (again === CHANGED.value) violated(`after a rollback, the API still shows ${again}`);
  for (const violation of await check(own, random.fork('check'))) violated(violation);
  for (const note of [...own.notes, `${own.ledger.count('ok')} clips landed`]) noted(note);
  await run('uninstall', WAIT);
  await judgeRemains(there, harness);
  // Helm keeps the stored data, but no later case uses it.
  await own.leftovers.erase();
}

export const chart: ClusterCase = {
  name: 'chart',
  promise:
    'helm install with production values accepts clips, and helm test finds nothing wrong; helm upgrade with a changed setting and helm rollback fail no request; helm uninstall removes all its objects and changes none of the other installation',
  async run(harness, plan) {
    await using cleaning = new AsyncDisposableStack();
    cleaning.defer(() => removeNamespaces(harness.product.kubectl, [NAMESPACE]));
    await live(harness, await prepare(harness), plan);
    await harness.load(plan.clips, plan.random.fork('beside'));
  },
};
