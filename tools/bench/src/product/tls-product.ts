import { join } from 'node:path';
import { run } from '@recording-request/fixtures/run';
import { freePort } from '@recording-request/stack/ports';
import { startNginx } from '../peers/nginx.ts';
import type { Bench } from '../row.ts';
import { type OwnProduct, startOwnProduct } from './own-product.ts';

const DAYS = '2';

/** Starts a separate product that uses the same store through an nginx with TLS. */
export async function startTlsProduct(bench: Bench, nginx: string, stack: AsyncDisposableStack): Promise<OwnProduct> {
  const { dir, peers, product } = bench;
  const [certFile, keyFile] = [join(dir, 'store.crt'), join(dir, 'store.key')];
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', DAYS],
    ...['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', keyFile, '-out', certFile],
  ]);
  const port = await freePort();
  stack.use(await startNginx(nginx, peers.place, product.serversEnv.S3_ENDPOINT!, { port, certFile, keyFile }));
  const env = { S3_ENDPOINT: `https://127.0.0.1:${port}`, S3_CA_FILE: certFile };
  return stack.use(await startOwnProduct(bench, 'over-tls', { env }));
}
