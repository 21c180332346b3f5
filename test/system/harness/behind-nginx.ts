import { httpClient } from '@recording-request/harness/http-client';
import { startMediaProxy } from '@recording-request/stack/media-proxy';
import type { TestSystem } from '@recording-request/testing/test-system';

/** The environment of a gateway behind an nginx that sends this secret. */
export const offloadVariables = (secret: string) => ({
  MEDIA_OFFLOAD: 'accel',
  MEDIA_OFFLOAD_SECRET: secret,
  TRUSTED_PROXIES: '1',
});

/** A system whose owners send their requests to nginx. */
export interface SystemBehindNginx extends AsyncDisposable {
  system: TestSystem;
  /** The path of nginx's access log, in the folder of the services' logs. */
  accessLog: string;
}

/**
 * Starts nginx with the configuration of deploy/nginx in front of a system. The owners send all requests to nginx, even
 * when a response contains a gateway URL.
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
