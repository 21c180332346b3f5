import { randomBytes, randomUUID } from 'node:crypto';
import { SERVICES } from '@recording-request/stack/service-plan';
import { until } from '@recording-request/testing/wait';
import type { ClusterCase } from '../cluster-case.ts';
import type { ClusterHarness } from '../harness.ts';
import { NAMESPACE, secret, tlsFiles } from '../product/overlay.ts';
import { leftBehind } from '../product/product.ts';
import { whileContributing, withoutFailures } from '../requests.ts';

// The kubelet updates mounted Secrets about once a minute, and a service reads its files every five seconds.
const SEEN_MS = 180_000;
const LOOK_MS = 2_000;
// Uses node, because the image has no other program.
const PRINT = ['node', '--print', "fs.readFileSync('/tls/tls.crt', 'utf8')"];

/** Writes new certificates of the same authority to the Secrets of all services; resolves when every pod has them. */
async function replaceCertificates({ product, certificates }: ClusterHarness): Promise<void> {
  await certificates.renew();
  for (const service of SERVICES) {
    const files = await tlsFiles(certificates.env(service));
    await product.kubectl.apply([secret(`tls-${service}`, files)]);
  }
  for (const service of SERVICES) {
    const wanted = (await tlsFiles(certificates.env(service)))['tls.crt']!.trim();
    for (const { name } of await product.pods(service)) {
      const hasIt = async () => (await product.in(['exec', name, '--', ...PRINT])).trim() === wanted;
      await until(`the new certificate is in ${name}`, hasIt, { limitMs: SEEN_MS, everyMs: LOOK_MS });
    }
  }
}

/** Writes `keys` to the Secret and restarts its readers. Resolves when all processes have the new keys. */
async function useKeys({ product }: ClusterHarness, keys: string): Promise<void> {
  const patch = JSON.stringify({ stringData: { SECRETS_KEY: keys } });
  await product.in(['patch', 'secret', 'recording-request', '--patch', patch]);
  await product.in(['rollout', 'restart', 'deployment/projects', 'deployment/webhooks']);
  await product.settled();
  await leftBehind(product);
}

/** Performs the steps of docs/recipes/rotate-secrets-key.md; seals a secret after each roll-out. */
async function replaceKey(harness: ClusterHarness): Promise<void> {
  const { product, owner, noted, violated } = harness;
  const encoded = await product.in(['get', 'secret', 'recording-request', '--output=jsonpath={.data.SECRETS_KEY}']);
  const old = Buffer.from(encoded, 'base64').toString();
  const [oldId] = old.split(':');
  const fresh = `k${Date.now()}:${randomBytes(32).toString('base64')}`;
  for (const ring of [`${old},${fresh}`, `${fresh},${old}`]) {
    await useKeys(harness, ring);
    await owner.create();
  }
  const said = await product.in(['exec', 'admin', '--', 'node', 'tools/admin/src/main.ts', 'reseal'], SEEN_MS);
  noted(`reseal: ${said.trim().replaceAll('\n', ', ')}`);
  for (const service of ['projects', 'webhooks'])
    if (!said.includes(`${service}: can leave SECRETS_KEY: ${oldId}`))
      violated(`reseal does not report that ${oldId} can leave ${service}: ${said}`);
  await useKeys(harness, fresh);
  // Fails if a text is sealed with the removed key.
  await product.in(['exec', 'admin', '--', 'node', 'tools/admin/src/main.ts', 'reseal', '--dry-run'], SEEN_MS);
}

/**
 * Creates a project, or gets the HTTP response that is stored sealed under this Idempotency-Key. Resolves to the
 * project's token, so an equal token means that the stored HTTP response was opened.
 */
async function createOnce({ owner }: ClusterHarness, key: string): Promise<string> {
  const json = { projectName: 'Created before the rotation', count: 1 };
  const answer = await owner.ask('/api/projects', { method: 'POST', json, headers: { 'idempotency-key': key } });
  if (answer.status >= 300) throw new Error(`${answer.what}: ${answer.bytes.toString().slice(0, 300)}`);
  return answer.json().projectToken;
}

export const rotation: ClusterCase = {
  name: 'rotation',
  promise:
    'replacing the certificates and the key of secrets under load fails no request, and data that was sealed before can be read',
  async run(harness, plan) {
    const { product } = harness;
    await product.kubectl.apply(harness.operatorPod);
    await product.in(['wait', '--for=condition=Ready', 'pod/admin', '--timeout=60s'], SEEN_MS);
    const key = randomUUID();
    const remembered = await createOnce(harness, key);
    await withoutFailures(harness, () =>
      whileContributing(harness, plan, async () => {
        await replaceCertificates(harness);
        await replaceKey(harness);
      }),
    );
    if ((await createOnce(harness, key)) !== remembered)
      harness.violated(
        'after the rotation, a retried creation with its Idempotency-Key returned another HTTP response',
      );
    await product.in(['delete', 'pod', 'admin', '--grace-period=1', `--namespace=${NAMESPACE}`]);
  },
};
