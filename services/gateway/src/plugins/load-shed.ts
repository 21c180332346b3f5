import underPressure from '@fastify/under-pressure';
import { DomainError } from '@recording-request/kit/errors';
import type { FastifyInstance } from 'fastify';
import type { GatewayConfig } from '../config.ts';

/** Refuses work with 503 while the process is too busy to do it in time. Whether it lives is still answered. */
export async function installLoadShed(
  app: FastifyInstance,
  config: Pick<GatewayConfig, 'eventLoopDelayLimitMs'>,
): Promise<void> {
  if (config.eventLoopDelayLimitMs === 0) return;
  await app.register(underPressure, {
    maxEventLoopDelay: config.eventLoopDelayLimitMs,
    async pressureHandler(request) {
      if (request.routeOptions.url === '/healthz') return;
      throw new DomainError('unavailable', 'The service is busy; try again in a moment.');
    },
  });
}
