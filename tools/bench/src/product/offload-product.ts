import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startMediaProxy } from '@recording-request/stack/media-proxy';
import type { Bench } from '../row.ts';
import { type OwnProduct, startOwnProduct } from './own-product.ts';

/**
 * A product behind an nginx that sends the bytes, as in deploy/nginx. `baseUrl` is the URL of the gateway, not of
 * nginx.
 */
export interface OffloadProduct extends OwnProduct {
  /** The base URL of nginx. */
  frontUrl: string;
}

/** Starts a separate product behind an nginx. */
export async function startOffloadProduct(bench: Bench, stack: AsyncDisposableStack): Promise<OffloadProduct> {
  const secret = randomBytes(32).toString('hex');
  const env = { MEDIA_OFFLOAD: 'accel', MEDIA_OFFLOAD_SECRET: secret, TRUSTED_PROXIES: '1' };
  const product = stack.use(await startOwnProduct(bench, 'offload', { env }));
  const proxy = await startMediaProxy({
    ...{ dir: join(bench.dir, 'offload'), gateway: product.baseUrl, store: product.serversEnv.S3_ENDPOINT!, secret },
    ...{ env: bench.peers.place.env, log: bench.log, signal: bench.signal },
  });
  stack.use(proxy);
  return { ...product, frontUrl: proxy.url };
}
