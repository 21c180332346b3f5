import underPressure from '@fastify/under-pressure';
import { DomainError } from '@recording-request/kit/errors';
import { noteShed } from '@recording-request/kit-telemetry/shed';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';

// Two measurements, because the delay is measured once a second, and a single high value (at the start, or after the
// machine paused) is not an overload.
const LASTING_MS = 2_000;
const FORGOTTEN_MS = 3_000;

/** Refuses work with 503 while the process is too busy to finish it in time. Liveness probes still get an answer. */
export async function installLoadShed(app: FastifyInstance, { config }: Pick<Context, 'config'>): Promise<void> {
  if (config.eventLoopDelayLimitMs === 0) return;
  let since = 0;
  let measuredAt = Number.NEGATIVE_INFINITY;
  await app.register(underPressure, {
    maxEventLoopDelay: config.eventLoopDelayLimitMs,
    async pressureHandler(request) {
      const now = performance.now();
      if (now - measuredAt > FORGOTTEN_MS) since = now;
      measuredAt = now;
      if (request.routeOptions.url?.startsWith('/healthz') || now - since < LASTING_MS) return;
      noteShed('busy');
      throw new DomainError('unavailable', 'The service is busy; try again in a moment.');
    },
  });
}
