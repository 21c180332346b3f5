import { startRelay } from '@recording-request/events/outbox';
import { every, type RunningService, stopAll } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import { implement } from '@recording-request/kit-rpc/grpc-server';
import { type Listeners, startListeners } from '@recording-request/kit-rpc/listeners';
import { isMeasured } from '@recording-request/kit-telemetry/signals';
import { callers } from '@recording-request/proto/callers';
import { type ExportsServiceServer, ExportsServiceService } from '@recording-request/proto/exports/v1/exports';
import {
  type SubmissionsOperatorServiceServer,
  SubmissionsOperatorServiceService,
} from '@recording-request/proto/operator/v1/submissions';
import {
  type SubmissionsServiceServer,
  SubmissionsServiceService,
} from '@recording-request/proto/submissions/v1/submissions';
import { type WorkServiceServer, WorkServiceService } from '@recording-request/proto/work/v1/work';
import type { Config } from './config.ts';
import { deadLetters } from './consumers/dead-letters.ts';
import { mediaEvents } from './consumers/media-events.ts';
import { transcriptionEvents } from './consumers/transcription-events.ts';
import { type Context, openContext } from './context.ts';
import { exportsHandlers, operatorHandlers, submissionsHandlers, workHandlers } from './rpc/handlers.ts';
import { drainMsOf, startTusServer } from './tus/server.ts';
import { retryUnknownEvents } from './workflows/dead-letters/retry-unknown-events.ts';
import { createRequeue } from './workflows/jobs/requeue-jobs.ts';
import { startReporting } from './workflows/report-figures.ts';
import { SLOW_STEPS, sweep, URGENT } from './workflows/sweep.ts';
import { endOpenPuts } from './workflows/uploads/end-open-puts.ts';

export interface SubmissionsService extends RunningService {
  grpcAddress: string;
  operatorAddress: string;
  httpAddress: string;
}

const OPEN_PUTS_LOOK_MS = 10 * 60_000;
/** The interval of the slow sweeper, in multiples of `sweepSeconds`. */
const SLOW_STEP_TURNS = 6;

/** Starts the service. Tests use the same function. */
export async function startService(config: Config, log: Logger): Promise<SubmissionsService> {
  // Parts stop in the opposite order: first the listeners, which accept work, then the loops and landings, which finish
  // it, then the connections.
  await using started = new AsyncDisposableStack();
  const context = started.use(await openContext(config, log));
  const { connection, kafka, landings } = context;
  const relay = startRelay({
    ...{ connection, kafka, log, name: 'submissions' },
    collections: { submissions: 'projectId' },
  });
  started.defer(() => relay.stop());
  const consumers = await Promise.all([
    ...[mediaEvents(context), transcriptionEvents(context)].map(options => kafka.consume(options)),
    kafka.consumeRecords(deadLetters(context)),
  ]);
  started.defer(async () => void (await Promise.all(consumers.map(consumer => consumer.stop()))));
  started.defer(() => landings.idle());
  const loops = startLoops(context);
  started.defer(() => stopAll(loops.map(loop => () => loop.stop())));
  let listeners: Listeners | undefined;
  const http = await startTusServer(context);
  // Closes both in parallel, because each waits for its own requests: uploads and exports may need most of the time for
  // stopping.
  const drainMs = drainMsOf(config.stopGraceSeconds);
  started.defer(async () => void (await Promise.all([http.close(), listeners?.close(drainMs)])));
  listeners = await startListeners({
    config,
    internal: context.internal,
    callers,
    log,
    services: [
      implement<SubmissionsServiceServer>(SubmissionsServiceService, submissionsHandlers(context)),
      implement<SubmissionsOperatorServiceServer>(SubmissionsOperatorServiceService, operatorHandlers(context)),
      implement<WorkServiceServer>(WorkServiceService, workHandlers(context)),
      implement<ExportsServiceServer>(ExportsServiceService, exportsHandlers(context)),
    ],
  });
  // This runs first, because a landing can take longer than the time that HTTP allows for its open requests.
  started.defer(() => landings.hurry());
  const running = started.move();
  const stop = () => running.disposeAsync();
  const { grpcAddress, operatorAddress } = listeners;
  return { grpcAddress, operatorAddress, httpAddress: http.address, stop, [Symbol.asyncDispose]: stop };
}

function startLoops(context: Context) {
  const { config, log } = context;
  return [
    every(Math.min(2 * config.sweepSeconds, config.jobLeaseSeconds / 3) * 1_000, createRequeue(context), {
      log,
      name: 'overdue jobs',
    }),
    every(config.sweepSeconds * 1_000, () => sweep(context, URGENT), { log, name: 'sweeper' }),
    every(SLOW_STEP_TURNS * config.sweepSeconds * 1_000, () => sweep(context, SLOW_STEPS), {
      log,
      name: 'slow sweeper',
    }),
    every((config.unknownRetrySeconds * 1_000) / 2, () => retryUnknownEvents(context), {
      log,
      name: 'unknown events',
    }),
    ...(isMeasured() ? [startReporting(context)] : []),
    every(Math.min(config.openPutSeconds * 1_000, OPEN_PUTS_LOOK_MS), () => endOpenPuts(context), {
      log,
      name: 'store sweeper',
    }),
  ];
}
