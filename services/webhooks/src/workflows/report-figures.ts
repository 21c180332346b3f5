import type { Stoppable } from '@recording-request/kit/lifecycle';
import { startFigures } from '@recording-request/kit-mongo/figures';
import { reportOf } from '@recording-request/kit-telemetry/metrics';
import type { Context } from '../context.ts';
import { sendableSince } from '../domain/waiting.ts';

type FiguresContext = Pick<Context, 'config' | 'log' | 'clock' | 'connection' | 'store'>;

const STEP = { 'recording.step': 'webhook' };
const LONGEST_FAILING = 10;
/** The limit of the promise that the first attempt at an event begins within a minute. */
const LATE_MS = 60_000;
const LATE_MAX = 100;
const reportEndpoints = reportOf('recording.webhook.endpoints');
const reportLate = reportOf('recording.webhook.late');
const reportFailing = reportOf('recording.webhook.failing');
const reportPaused = reportOf('recording.webhook.paused');
const reportStepAge = reportOf('recording.step.age');
const reportStuck = reportOf('recording.clips.stuck');

/** Reports the states of endpoints, and the due deliveries that wait for this service. One process reports for all. */
export function startReporting(context: FiguresContext): Stoppable {
  const { config, log, connection } = context;
  const reports = [reportEndpoints, reportFailing, reportLate, reportPaused, reportStepAge, reportStuck];
  return startFigures({
    ...{ connection, log, seconds: config.figuresSeconds, reports },
    parts: { deliveries: () => reportDeliveries(context), endpoints: () => reportOfEndpoints(context) },
  });
}

async function reportDeliveries({ config, clock, store: { figures, sending } }: FiguresContext): Promise<void> {
  const now = clock.now();
  const { isPaused, since: sentSince } = await sending.get();
  reportPaused(isPaused ? Math.max(0, now.getTime() - sentSince.getTime()) / 1_000 : 0, {});
  // While the operator has paused all deliveries, none of them can be late.
  const due = isPaused ? [] : await figures.firstDue(now);
  const endpoints = new Map(
    (await figures.endpoints(due.map(({ projectId }) => projectId))).map(each => [each.projectId, each]),
  );
  const waiting = due.flatMap(({ projectId, nextAt }) => {
    const since = sendableSince(nextAt, endpoints.get(projectId), sentSince);
    return since ? [{ projectId, waitedMs: now.getTime() - since.getTime() }] : [];
  });
  reportStepAge(Math.max(0, ...waiting.map(({ waitedMs }) => waitedMs)) / 1_000, STEP);
  const late = waiting.filter(({ waitedMs }) => waitedMs > LATE_MS).map(({ projectId }) => projectId);
  reportLate(late.length === 0 ? 0 : await figures.countOwners(late.slice(0, LATE_MAX)), {});
  const stuckMs = config.stuckAfterSeconds * 1_000;
  const stuck = waiting.filter(({ waitedMs }) => waitedMs > stuckMs).map(({ projectId }) => projectId);
  reportStuck(stuck.length === 0 ? 0 : await figures.countDue(stuck, new Date(now.getTime() - stuckMs)), STEP);
}

async function reportOfEndpoints({ clock, store: { figures } }: FiguresContext): Promise<void> {
  const now = clock.now();
  for (const [state, count] of Object.entries(await figures.endpointsByState()))
    reportEndpoints(count, { 'recording.endpoint.state': state });
  const failing = await figures.longestFailing(LONGEST_FAILING);
  // Drops the series of endpoints that work again.
  reportFailing.end();
  for (const { projectId, failingSince } of failing)
    reportFailing((now.getTime() - failingSince.getTime()) / 1_000, { 'recording.project.id': projectId });
}
