import type { Stoppable } from '@recording-request/kit/lifecycle';
import { startFigures } from '@recording-request/kit-mongo/figures';
import { reportOf } from '@recording-request/kit-telemetry/metrics';
import type { Context } from '../context.ts';

type FiguresContext = Pick<Context, 'config' | 'log' | 'clock' | 'connection' | 'store'>;

const STEP = { 'recording.step': 'webhook' };
const reportEndpoints = reportOf('recording.webhook.endpoints');
const reportStepAge = reportOf('recording.step.age');
const reportStuck = reportOf('recording.clips.stuck');

/** Reports the states of all endpoints and the overdue deliveries; one process reports for all. */
export function startReporting(context: FiguresContext): Stoppable {
  const { config, log, connection } = context;
  return startFigures({
    ...{ connection, log, seconds: config.figuresSeconds, reports: [reportEndpoints, reportStepAge, reportStuck] },
    parts: { deliveries: () => report(context) },
  });
}

async function report({ config, clock, store }: FiguresContext): Promise<void> {
  const now = clock.now();
  const stuckBefore = new Date(now.getTime() - config.stuckAfterSeconds * 1_000);
  const { since, stuck } = await store.figures.due(now, stuckBefore);
  reportStepAge(since ? Math.max(0, now.getTime() - since.getTime()) / 1_000 : 0, STEP);
  reportStuck(stuck, STEP);
  for (const [state, count] of Object.entries(await store.figures.endpointsByState()))
    reportEndpoints(count, { 'recording.endpoint.state': state });
}
