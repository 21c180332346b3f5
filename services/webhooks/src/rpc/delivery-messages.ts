import {
  type Delivery,
  EndpointState,
  DeliveryState as Wire,
  type Endpoint as WireEndpoint,
} from '@recording-request/proto/webhooks/v1/webhooks';
import type { DeliveryRecord, DeliveryState } from '../domain/delivery.ts';
import { type Endpoint, PAUSE_WORDS } from '../domain/endpoint.ts';

const STATES: Record<DeliveryState, Wire> = {
  pending: Wire.DELIVERY_STATE_PENDING,
  delivered: Wire.DELIVERY_STATE_DELIVERED,
  paused: Wire.DELIVERY_STATE_PAUSED,
  failed: Wire.DELIVERY_STATE_FAILED,
  erased: Wire.DELIVERY_STATE_ERASED,
};

export function presentDelivery(record: DeliveryRecord): Delivery {
  const { id, nextAt, sendable: _, ...shown } = record;
  return { ...shown, deliveryId: id, eventId: id, state: STATES[record.state], nextAttemptAt: nextAt };
}

export function presentEndpoint({ state, failingSince, pausedAt, pauseReason }: Endpoint): WireEndpoint {
  return {
    state: state === 'paused' ? EndpointState.ENDPOINT_STATE_PAUSED : EndpointState.ENDPOINT_STATE_ACTIVE,
    failingSince,
    pausedAt,
    pauseReason: pauseReason ? PAUSE_WORDS[pauseReason] : '',
  };
}
