import type { AddressInfo } from 'node:net';
import { splitListen } from '@recording-request/kit/config';
import { jobGraceMs, type RunningService, stopAll } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import type { FastifyInstance } from 'fastify';
import { untilSent } from './adapters/unsent-bytes.ts';
import { buildApp } from './app.ts';
import type { Config } from './config.ts';
import { openContext } from './context.ts';

export interface Gateway extends RunningService {
  /** The address on which the gateway listens, such as `http://127.0.0.1:8080`; not its public address. */
  address: string;
}

/** Connects to the services and serves HTTP. Also starts while the services are down. */
export async function startService(config: Config, log: Logger): Promise<Gateway> {
  const context = await openContext(config, log);
  const { host, port } = splitListen(config.httpListen);
  let app: FastifyInstance | undefined;
  let bound: AddressInfo | undefined;
  const stop = () => {
    const until = performance.now() + jobGraceMs(config.stopGraceSeconds);
    const sent = () => bound && untilSent(bound.port, until - performance.now());
    return stopAll([() => app?.close(), sent, () => context.close()]);
  };
  try {
    app = await buildApp(context);
    await app.listen({ host, port });
    bound = app.server.address() as AddressInfo;
  } catch (error) {
    await stop();
    throw error;
  }
  if (config.allowHttpUrls) log.warn('ALLOW_HTTP_URLS is on: projects may have plain http addresses');
  return {
    address: `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${bound.port}`,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
