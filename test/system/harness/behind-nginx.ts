import { startMediaProxy } from '@recording-request/stack/media-proxy';
import { httpClient } from '@recording-request/testing/http-client';
import type { TestSystem } from '@recording-request/testing/test-system';

/** What the gateway has to be started with, for an nginx that shows this secret. */
export const offloadVariables = (secret: string) => ({
  MEDIA_OFFLOAD: 'accel',
  MEDIA_OFFLOAD_SECRET: secret,
  TRUSTED_PROXIES: '1',
});

/** A system whose owners ask nginx; its logs are beside those of the services. */
export interface SystemBehindNginx extends AsyncDisposable {
  system: TestSystem;
  /** nginx' lines about requests. */
  accessLog: string;
}

/**
 * Starts nginx, as deploy/nginx sets it up, in front of a system: what its owners ask for is asked there, also under the addresses
 * of the gateway that answers contain.
 */
export async function behindNginx(system: TestSystem, secret: string): Promise<SystemBehindNginx> {
  const proxy = await startMediaProxy({
    ...{ dir: system.scratch, gateway: system.baseUrl, store: process.env.S3_ENDPOINT!, secret },
  });
  const newOwner: TestSystem['newOwner'] = async (...names) => {
    const owner = await system.newOwner(...names);
    const ask = httpClient(proxy.url, owner.token);
    return { ...owner, ask: (path, request) => ask(pathOf(path, system.baseUrl), request) };
  };
  return {
    system: { ...system, baseUrl: proxy.url, newOwner },
    accessLog: proxy.accessLog,
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

function pathOf(address: string, baseUrl: string): string {
  return address.startsWith(`${baseUrl}/`) ? address.slice(baseUrl.length) : address;
}
