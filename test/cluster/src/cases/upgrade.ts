import { check } from '@recording-request/fault-test/check/checker';
import type { Incident } from '@recording-request/fault-test/harness/gateway-client';
import type { ClusterCase } from '../cluster-case.ts';
import { type ClusterHarness, openHarness, type StoresPlace } from '../harness.ts';
import { isAnsweredBy, isCutBy, prefixesOf } from '../product/answered-by.ts';
import type { Overlay } from '../product/overlay.ts';
import {
  applyServices,
  endServices,
  install,
  migrate,
  type Product,
  removeNamespaces,
  replaceObjects,
} from '../product/product.ts';
import { secretsFor } from '../product/secrets.ts';
import { whileTransferring } from '../product/transfers.ts';
import { type VersionPlan, versionSteps } from '../product/version-steps.ts';
import { whileContributing, withoutFailures } from '../requests.ts';

const NAMESPACE = 'recording-request-upgraded';
const STORES: StoresPlace = { databasePrefix: 'upgraded_', topicPrefix: 'upgraded.', bucket: 'upgraded' };
const SETTINGS = {
  MONGO_DATABASE_PREFIX: STORES.databasePrefix,
  KAFKA_TOPIC_PREFIX: STORES.topicPrefix,
  S3_BUCKET: STORES.bucket,
};
/**
 * The number of failures that processes of the previous version may cause; that version gets no more fixes. Its
 * gateways do not retry at another replica when a replica ends, and they end before a slow client has the last bytes of
 * an HTTP response. Its submissions service interrupts the body of an upload when it ends, even in the request that
 * begins the upload. Most runs have no such failure. Many such failures would mean that the previous version cannot
 * read the data of this version.
 */
const FAILED_MAX = 10;
const UNAVAILABLE = / → 503\b/;
const OF_UPLOAD = /^(PATCH|POST) \/r\/\S+\/uploads/;
const BROKEN_OFF = /^GET \S+: /;
/** The limit for seven replacements of one and a half minutes each. */
const LIMIT_MS = 30 * 60_000;

/**
 * Creates an owner as the previous version's documents describe: with that version's command in its pod. Resolves to
 * the owner's API token.
 */
async function ownerOf(there: Product): Promise<string> {
  const admin = (...words: string[]) =>
    there.in(['exec', 'deployment/gateway', '--', 'node', 'tools/admin/src/main.ts', ...words]);
  const { userId } = JSON.parse(await admin('users', 'create', 'First owner', '--json')) as { userId: string };
  return (await admin('tokens', 'create', userId, '--scopes', 'all')).trim();
}

/**
 * Installs the previous version, replaces it with this version, rolls back, and replaces it again, while contributors send
 * clips and owners read.
 */
async function live(
  harness: ClusterHarness,
  { before, steps }: VersionPlan,
  { random, clips }: Parameters<ClusterCase['run']>[1],
): Promise<void> {
  const { product, place, signal, workDir, noted, violated, gateway } = harness;
  const { kubectl } = product;
  const there = await install(kubectl, await secretsFor(product, NAMESPACE), before.objects, NAMESPACE);
  const token = await ownerOf(there);
  const of = { ...harness, product: there, dir: workDir };
  await using own = await openHarness(of, random.fork('upgraded'), signal, { stores: STORES, token });
  await own.load(clips, random.fork('before'));
  noted(`${own.ledger.count('ok')} clips contributed to the previous version`);
  const its = { gateways: await prefixesOf(there, 'gateway'), uploads: await prefixesOf(there, 'submissions') };
  const replace = async () => {
    for (const { what, objects, isBefore, migrates } of steps) {
      const began = Date.now();
      if (migrates) {
        const said = await migrate(there, objects);
        const applied = said.match(/ is applied\b/g)?.length ?? 0;
        noted(`${applied} steps of the migration applied after ${Math.round((Date.now() - began) / 1_000)} s`);
        if (!/ is applied\b| is at version /.test(said)) violated(`the migration upgraded no database: ${said}`);
      }
      await replaceObjects(there, objects);
      if (isBefore) {
        its.gateways.push(...(await prefixesOf(there, 'gateway')));
        its.uploads.push(...(await prefixesOf(there, 'submissions')));
      }
      noted(`${what}: installed after ${Math.round((Date.now() - began) / 1_000)} s`);
    }
  };
  let failed = 0;
  const mayFail = async (incident: Incident) => {
    if (failed >= FAILED_MAX || !(UNAVAILABLE.test(incident.what) || BROKEN_OFF.test(incident.what))) return false;
    const isCut = OF_UPLOAD.test(incident.what) && (await isCutBy(place, NAMESPACE, its.uploads, incident));
    if (!isCut && !(await isAnsweredBy(place, NAMESPACE, its.gateways, incident))) return false;
    failed += 1;
    return true;
  };
  const plan = { random: random.fork('under way'), clips };
  const transfers = random.fork('transfers');
  const contributing = () => whileContributing(own, plan, replace);
  try {
    await withoutFailures(own, () => whileTransferring(own, transfers, contributing), { allowed: mayFail });
    for (const violation of await check(own, random.fork('check'))) violated(violation);
  } catch (error) {
    for (const violation of own.violations) violated(violation);
    throw error;
  } finally {
    for (const note of [...own.notes, `${own.ledger.count('ok')} clips landed in all`]) noted(note);
    // Adds the incidents last, because the table shows them last.
    gateway.incidents.push(...own.gateway.incidents);
  }
  await removeNamespaces(kubectl, [NAMESPACE]);
  // Later cases do not use these stores, so remaining data does no harm.
  await own.leftovers.erase().catch(error => noted(`its stores were not erased: ${(error as Error).message}`));
}

export const upgrade: ClusterCase = {
  name: 'upgrade',
  promise:
    'this version replaces an installation of the previous version after its migration, is rolled back, and replaces it again: only processes of the old version fail requests, a running upload and download continue, and every clip is there',
  limitMs: LIMIT_MS,
  async run(harness, plan) {
    const { product, objects, overlay, previous } = harness;
    if (!previous) throw new Error('the previous version is missing');
    const own: Overlay = (name, { settings, ...more } = {}) =>
      overlay(`${name}-upgraded`, { ...more, namespace: NAMESPACE, settings: { ...settings, ...SETTINGS } });
    const versions = await versionSteps(own, previous);
    // Ends the services first: the node has no room for two installations, and the gateway keeps its address.
    await using cleaning = new AsyncDisposableStack();
    cleaning.defer(() => applyServices(product, objects));
    await endServices(product);
    cleaning.defer(() => removeNamespaces(product.kubectl, [NAMESPACE]));
    await live(harness, versions, plan);
  },
};
