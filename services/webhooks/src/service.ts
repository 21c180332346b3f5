import { type RunningService, stopAll } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import { implement } from '@recording-request/kit-rpc/grpc-server';
import { startListeners } from '@recording-request/kit-rpc/listeners';
import { isMeasured } from '@recording-request/kit-telemetry/signals';
import { callers } from '@recording-request/proto/callers';
import {
  type WebhooksOperatorServiceServer,
  WebhooksOperatorServiceService,
} from '@recording-request/proto/operator/v1/webhooks';
import { type WebhooksServiceServer, WebhooksServiceService } from '@recording-request/proto/webhooks/v1/webhooks';
import type { Config } from './config.ts';
import { consumeFeed } from './consumers/feed.ts';
import { consumeOwnerEvents } from './consumers/owner-events.ts';
import { consumeProjectEvents } from './consumers/project-events.ts';
import { consumeSubmissionEvents } from './consumers/submission-events.ts';
import { openContext } from './context.ts';
import { operatorHandlers, webhooksHandlers } from './rpc/handlers.ts';
import { startEndpointMonitor } from './workflows/endpoint-monitor.ts';
import { startReporting } from './workflows/report-figures.ts';
import { requireKeys } from './workflows/require-keys.ts';
import { startRetention } from './workflows/retention.ts';

export interface WebhooksService extends RunningService {
  /** The listeners as `host:port`: one for other services, one for the operator. */
  grpcAddress: string;
  operatorAddress: string;
}

const CALLS_GRACE_MS = 2_000;

/** Sends due deliveries, consumes events and serves RPCs until it is stopped. */
export async function startService(config: Config, log: Logger): Promise<WebhooksService> {
  warnOfRelaxedRules(config, log);
  await using starting = new AsyncDisposableStack();
  const context = starting.use(await openContext(config, log));
  await requireKeys(context, log);
  const { dispatcher } = context;
  dispatcher.start();
  starting.defer(() => dispatcher.stop());
  const loops = [
    startEndpointMonitor(context),
    startRetention(context),
    ...(isMeasured() ? [startReporting(context)] : []),
  ];
  for (const loop of loops) starting.defer(() => loop.stop());
  const consumers = await Promise.all(
    [
      consumeSubmissionEvents(context),
      consumeOwnerEvents(context),
      consumeProjectEvents(context),
      consumeFeed(context),
    ].map(async joining => starting.adopt(await joining, consumer => consumer.stop())),
  );
  const server = await startListeners({
    config,
    internal: context.internal,
    callers,
    services: [
      implement<WebhooksServiceServer>(WebhooksServiceService, webhooksHandlers(context)),
      implement<WebhooksOperatorServiceServer>(WebhooksOperatorServiceService, operatorHandlers(context)),
    ],
    log,
  });
  starting.move();

  const stopParts = () =>
    stopAll([
      // Stops all parts in parallel, because each part waits for its own running work.
      () =>
        Promise.all([
          server.close(CALLS_GRACE_MS),
          ...[...consumers, ...loops, context.feedWaits].map(part => part.stop()),
        ]),
      () => dispatcher.stop(),
      () => context[Symbol.asyncDispose](),
    ]);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopParts();
    return stopped;
  };
  const { grpcAddress, operatorAddress } = server;
  return { grpcAddress, operatorAddress, stop, [Symbol.asyncDispose]: stop };
}

function warnOfRelaxedRules(config: Config, log: Logger): void {
  if (config.allowHttpUrls) log.warn('ALLOW_HTTP_URLS is on: this service also sends webhooks over plain http');
  if (config.allowPrivateTargets)
    log.warn('WEBHOOK_ALLOW_PRIVATE_TARGETS is on: this service also sends webhooks to loopback and private addresses');
}
