import { NGINX_ORIGIN, startNginx } from '@recording-request/k8s/lab/nginx';
import type { ClusterHarness } from '../harness.ts';
import { NAMESPACE } from './overlay.ts';

const PORT = 8_080;
/** The DNS name with the addresses of the ready pods. */
const PODS = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'gateway-pods', namespace: NAMESPACE },
  spec: { clusterIP: 'None', selector: { 'app.kubernetes.io/name': 'gateway' }, ports: [{ name: 'http', port: PORT }] },
};

/** Until disposal, sends all clients through an nginx that retries at another pod, as deploy/k8s/README.md requires. */
export async function comeByNginx({ product, place, comeBy }: ClusterHarness): Promise<AsyncDisposable> {
  await using coming = new AsyncDisposableStack();
  await product.kubectl.apply([PODS]);
  const { name } = PODS.metadata;
  coming.defer(async () => void (await product.in(['delete', 'service', name])));
  coming.use(await startNginx(place, `${name}.${NAMESPACE}.svc.cluster.local:${PORT}`));
  coming.use(comeBy({ origin: NGINX_ORIGIN }));
  return coming.move();
}
