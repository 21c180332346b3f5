import {
  type Delivery,
  DeliveryState,
  type Endpoint,
  EndpointState,
} from '@recording-request/proto/webhooks/v1/webhooks';
import { isoDate, isoDateOrNull } from '../dates.ts';
import type { WebhookDeliveryJson, WebhookEndpointJson } from '../resources/webhook-delivery.ts';

const STATE_NAMES: Record<number, WebhookDeliveryJson['state']> = {
  [DeliveryState.DELIVERY_STATE_DELIVERED]: 'delivered',
  [DeliveryState.DELIVERY_STATE_PAUSED]: 'paused',
  [DeliveryState.DELIVERY_STATE_FAILED]: 'failed',
  [DeliveryState.DELIVERY_STATE_ERASED]: 'erased',
};

export function presentDelivery(delivery: Delivery): WebhookDeliveryJson {
  return {
    deliveryId: delivery.deliveryId,
    eventId: delivery.eventId,
    eventType: delivery.eventType,
    projectId: delivery.projectId,
    submissionId: delivery.submissionId || null,
    state: STATE_NAMES[delivery.state] ?? 'pending',
    createdAt: isoDate(delivery.createdAt, 'createdAt'),
    deliveredAt: isoDateOrNull(delivery.deliveredAt),
    nextAttemptAt: isoDateOrNull(delivery.nextAttemptAt),
    attemptCount: delivery.attemptCount,
    attempts: delivery.attempts.map(attempt => ({
      at: isoDate(attempt.at, 'attempt.at'),
      statusCode: attempt.statusCode || null,
      error: attempt.error || null,
      durationMs: attempt.durationMs,
    })),
    test: delivery.test,
  };
}

export function presentEndpoint(endpoint: Endpoint | undefined): WebhookEndpointJson | null {
  if (!endpoint) return null;
  return {
    state: endpoint.state === EndpointState.ENDPOINT_STATE_PAUSED ? 'paused' : 'active',
    failingSince: isoDateOrNull(endpoint.failingSince),
    lastStatusCode: endpoint.lastStatusCode || null,
    lastError: endpoint.lastError || null,
    pausedAt: isoDateOrNull(endpoint.pausedAt),
    pauseReason: endpoint.pauseReason || null,
  };
}
