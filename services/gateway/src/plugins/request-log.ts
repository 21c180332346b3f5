import type { FastifyInstance } from 'fastify';

/** One line a request, with its route's pattern: the address itself may carry a token. */
export function installRequestLog(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const { url } = request.routeOptions;
    if (url === '/healthz') return;
    const about = {
      method: request.method,
      route: url ?? 'none',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    };
    if (reply.statusCode >= 500) request.log.warn(about, 'answered');
    else request.log.info(about, 'answered');
  });
  app.addHook('onRequestAbort', async request => {
    request.log.info({ method: request.method, route: request.routeOptions.url ?? 'none' }, 'the client went away');
  });
}
