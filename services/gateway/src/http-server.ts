import { createServer, type RequestListener, type Server } from 'node:http';
import { acceptExpectations } from '@recording-request/kit-rpc/expectations';
import type { Config } from './config.ts';
import { limitConnections } from './plugins/connection-limit.ts';
import { type EndCrowded, queueRequests } from './plugins/request-queue.ts';
import { traced } from './plugins/trace-context.ts';

const HEADERS_TIMEOUT_MS = 20_000;
const KEEP_ALIVE_MS = 72_000;
// The server keeps an idle connection this much longer than it declares, so that a late client still finds it open.
const KEEP_ALIVE_BUFFER_MS = 10_000;
// Node warns of a leak above 10 listeners. Fastify, tracing, logs and the limits of a long list need a few more.
const LISTENERS_MAX = 20;

/**
 * Returns the gateway's HTTP server. It passes requests to `handle`, each with a trace and one at a time per
 * connection.
 */
export function httpServer(handle: RequestListener, config: Config, endCrowded: EndCrowded): Server {
  const options = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveTimeoutBuffer: KEEP_ALIVE_BUFFER_MS,
    // A whole request has no deadline, because uploads run for minutes. Headers, JSON bodies and idle connections have
    // deadlines.
    requestTimeout: 0,
    // With `true`, Node itself would refuse a request without a Host header, and its response would have an empty body.
    requireHostHeader: false,
  };
  // `queueRequests` runs first: a request that waits there has no trace yet, so its measured duration excludes the
  // wait.
  const withListeners: RequestListener = (request, response) => {
    response.setMaxListeners(LISTENERS_MAX);
    handle(request, response);
  };
  const listener = queueRequests(traced(withListeners, config), endCrowded, () => !server.listening);
  const server = createServer(options, listener);
  server.setTimeout(config.idleTimeoutMs);
  limitConnections(server, config);
  acceptExpectations(server, listener);
  return server;
}
