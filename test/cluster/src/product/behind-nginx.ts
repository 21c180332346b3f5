import { NGINX_ORIGIN, startNginx } from '@recording-request/k8s/lab/nginx';
import type { ClusterHarness } from '../harness.ts';
import { NAMESPACE } from './overlay.ts';

const PORT = 8_080;
/** Its name in DNS has the addresses of the pods that are ready. */
const PODS = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'gateway-pods', namespace: NAMESPACE },
  spec: { clusterIP: 'None', selector: { 'app.kubernetes.io/name': 'gateway' }, ports: [{ name: 'http', port: PORT }] },
};

/** Has all clients come by an edge that asks another pod where one gave no answer, as deploy/README.md wants it, until it is disposed of. */
export async function comeByNginx({ product, place, comeBy }: ClusterHarness): Promise<AsyncDisposable> {
  await using coming = new AsyncDisposableStack();
  await product.kubectl.apply([PODS]);
  const { name } = PODS.metadata;
  coming.defer(async () => void (await product.in(['delete', 'service', name])));
  coming.use(await startNginx(place, `${name}.${NAMESPACE}.svc.cluster.local:${PORT}`));
  coming.use(comeBy({ origin: NGINX_ORIGIN }));
  return coming.move();
}
