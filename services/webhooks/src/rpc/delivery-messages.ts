import {
  type Delivery,
  DeliveryState as DeliveryStateMessage,
  type Endpoint as EndpointMessage,
  EndpointState,
} from '@recording-request/proto/webhooks/v1/webhooks';
import type { DeliveryRecord, DeliveryState } from '../domain/delivery.ts';
import { type Endpoint, PAUSE_SENTENCES } from '../domain/endpoint.ts';

const STATES: Record<DeliveryState, DeliveryStateMessage> = {
  pending: DeliveryStateMessage.DELIVERY_STATE_PENDING,
  delivered: DeliveryStateMessage.DELIVERY_STATE_DELIVERED,
  paused: DeliveryStateMessage.DELIVERY_STATE_PAUSED,
  failed: DeliveryStateMessage.DELIVERY_STATE_FAILED,
  erased: DeliveryStateMessage.DELIVERY_STATE_ERASED,
};

export function toDelivery(record: DeliveryRecord): Delivery {
  const { id, nextAt, isTest: test, sendable: _, keyId: __, ...shown } = record;
  return { ...shown, test, deliveryId: id, eventId: id, state: STATES[record.state], nextAttemptAt: nextAt };
}

export function toEndpoint(endpoint: Endpoint): EndpointMessage {
  const { state, failingSince, pausedAt, pauseReason, lastStatusCode = 0, lastError = '' } = endpoint;
  return {
    state: state === 'paused' ? EndpointState.ENDPOINT_STATE_PAUSED : EndpointState.ENDPOINT_STATE_ACTIVE,
    failingSince,
    pausedAt,
    pauseReason: pauseReason ? PAUSE_SENTENCES[pauseReason] : '',
    lastStatusCode,
    lastError,
  };
}
