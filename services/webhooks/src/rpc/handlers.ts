import type { Handlers } from '@recording-request/kit-rpc/grpc-server';
import type { WebhooksOperatorServiceServer } from '@recording-request/proto/operator/v1/webhooks';
import type { WebhooksServiceServer } from '@recording-request/proto/webhooks/v1/webhooks';
import type { Context } from '../context.ts';
import { eraseEvents } from './erase-events.ts';
import { eraseLinkDeliveries } from './erase-link-deliveries.ts';
import { eraseOwnerEvents } from './erase-owner-events.ts';
import { eraseProjectDeliveries } from './erase-project-deliveries.ts';
import { eraseSubmissionDeliveries } from './erase-submission-deliveries.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listEvents } from './list-events.ts';
import { redeliver } from './redeliver.ts';
import { redeliverRange } from './redeliver-range.ts';
import { refreshEndpoint } from './refresh-endpoint.ts';
import { resealBodies } from './reseal-bodies.ts';
import { sendTest } from './send-test.ts';
import { getSending, setSending } from './sending.ts';

export const webhooksHandlers = (context: Context): Handlers<WebhooksServiceServer> => ({
  listDeliveries: listDeliveries(context),
  redeliver: redeliver(context),
  redeliverRange: redeliverRange(context),
  sendTest: sendTest(context),
  refreshEndpoint: refreshEndpoint(context),
  listEvents: listEvents(context),
  eraseEvents: eraseEvents(context),
});

export const operatorHandlers = (context: Context): Handlers<WebhooksOperatorServiceServer> => ({
  eraseSubmissionDeliveries: eraseSubmissionDeliveries(context),
  eraseLinkDeliveries: eraseLinkDeliveries(context),
  eraseProjectDeliveries: eraseProjectDeliveries(context),
  eraseOwnerEvents: eraseOwnerEvents(context),
  getSending: getSending(context),
  setSending: setSending(context),
  resealBodies: resealBodies(context),
});
