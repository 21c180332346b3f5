import { connectKafka } from '@recording-request/events/kafka';
import { implement, startGrpcServer } from '@recording-request/kit/grpc-server';
import { type RunningService, stopAll } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import { connectMongo } from '@recording-request/kit/mongo';
import {
  type WebhooksOperatorServiceServer,
  WebhooksOperatorServiceService,
} from '@recording-request/proto/operator/v1/webhooks';
import { type WebhooksServiceServer, WebhooksServiceService } from '@recording-request/proto/webhooks/v1/webhooks';
import { createSender } from './adapters/http-sender.ts';
import { projectTargets } from './adapters/targets.ts';
import type { Config } from './config.ts';
import { consumeSubmissionEvents } from './consumers/submission-events.ts';
import { eraseProjectDeliveries } from './rpc/erase-project-deliveries.ts';
import { eraseSubmissionDeliveries } from './rpc/erase-submission-deliveries.ts';
import { listDeliveries } from './rpc/list-deliveries.ts';
import { redeliver } from './rpc/redeliver.ts';
import { redeliverRange } from './rpc/redeliver-range.ts';
import { sendTest } from './rpc/send-test.ts';
import { openStore } from './store/store.ts';
import { createAttempt } from './workflows/deliver.ts';
import { startDispatcher } from './workflows/dispatch.ts';
import { createSlots } from './workflows/endpoint-limiter.ts';
import { startLookout } from './workflows/endpoint-monitor.ts';
import { startForgetting } from './workflows/retention.ts';

export interface WebhooksService extends RunningService {
  /** `host:port` of gRPC. */
  grpcAddress: string;
}

const CALLS_GRACE_MS = 2_000;

/** Connects, begins to send and to take events, and serves. */
export async function startService(config: Config, log: Logger): Promise<WebhooksService> {
  warnOfOpenDoors(config, log);
  const connection = await connectMongo(config, 'webhooks');
  const store = await openStore(connection, config.tombstoneSec);
  const targets = projectTargets(config.projectsGrpc);
  const sender = createSender({
    allowHttp: config.allowHttpUrls,
    allowPrivate: config.allowPrivateTargets,
    timeoutMs: config.attemptTimeoutMs,
    answerBytes: config.answerBytes,
    dnsServers: config.dnsServers,
  });
  const leaseMs = config.attemptTimeoutMs + config.leaseMarginMs;
  const dispatcher = startDispatcher({
    queue: store.queue,
    slots: createSlots({ total: config.concurrency, perEndpoint: config.endpointConcurrency }),
    attempt: createAttempt({ store, targets, sender, rules: config, log }),
    leaseMs,
    pollMs: config.pollMs,
    stopMs: config.stopMs,
    log,
  });
  const lookout = startLookout({ store, targets, checkMs: config.pausedCheckMs, wake: dispatcher.wake, log });
  const forgetting = startForgetting({ store, ledgerDays: config.ledgerDays, log });
  const kafka = await connectKafka(config, { clientId: 'webhooks', log });
  await consumeSubmissionEvents(kafka, config.consumers, {
    store,
    targets,
    baseUrl: config.publicBaseUrl,
    recorded: dispatcher.offer,
  });
  const server = await startGrpcServer({
    listen: config.grpcListen,
    services: [
      implement<WebhooksServiceServer>(WebhooksServiceService, {
        listDeliveries: listDeliveries(store),
        redeliver: redeliver(store, dispatcher),
        redeliverRange: redeliverRange(store, dispatcher, config.redeliverMax),
        sendTest: sendTest({ store, targets, dispatcher, leaseMs }),
      }),
      implement<WebhooksOperatorServiceServer>(WebhooksOperatorServiceService, {
        eraseSubmissionDeliveries: eraseSubmissionDeliveries(store),
        eraseProjectDeliveries: eraseProjectDeliveries(store),
      }),
    ],
    log,
  });
  let stopping: Promise<void> | undefined;
  const stop = () =>
    (stopping ??= stopAll([
      // Side by side: each waits for what is under way.
      () => Promise.all([server.close(CALLS_GRACE_MS), kafka.close(), lookout.stop(), forgetting.stop()]),
      () => dispatcher.stop(),
      () => sender.close(),
      () => targets.close(),
      () => connection.close(),
    ]));
  return { grpcAddress: server.address, stop, [Symbol.asyncDispose]: stop };
}

function warnOfOpenDoors(config: Config, log: Logger): void {
  if (config.allowHttpUrls) log.warn('ALLOW_HTTP_URLS is on: webhooks are sent over plain http too');
  if (config.allowPrivateTargets)
    log.warn('WEBHOOK_ALLOW_PRIVATE_TARGETS is on: webhooks are sent to loopback and private addresses too');
}
