import type { Logger } from '@recording-request/kit/log';
import type { SecretBox } from '@recording-request/kit/secret-box';
import type { Clock } from '@recording-request/kit-mongo/clock';
import { countOf, durationOf } from '@recording-request/kit-telemetry/metrics';
import type { Sender } from '../adapters/http-sender.ts';
import type { Target, Targets } from '../adapters/targets.ts';
import { inAttemptSpan } from '../adapters/trace.ts';
import type { Config } from '../config.ts';
import { type Attempt, type ClaimedDelivery, idsOf, sentType, TEST_EVENT } from '../domain/delivery.ts';
import { type Endpoint, type EndpointHealth, pauseReasonFor } from '../domain/endpoint.ts';
import { attemptHeaders } from '../domain/headers.ts';
import { type Outcome, outcomeOf } from '../domain/outcome.ts';
import { retryDelayMs } from '../domain/schedule.ts';
import type { Store } from '../store/store.ts';
import type { EndpointTurns } from './endpoint-turns.ts';
import { openBody } from './open-body.ts';
import type { SendingState } from './sending-state.ts';

/** The dependencies of the dispatcher. They are not the whole context, because the context contains the dispatcher. */
export interface DeliverDeps {
  config: Config;
  log: Logger;
  secrets: SecretBox;
  clock: Clock;
  store: Store;
  targets: Targets;
  sender: Sender;
  turns: Pick<EndpointTurns, 'begin'>;
  sending: SendingState;
}

/** The target of a delivery and the health of its endpoint. */
export interface TargetWithEndpoint {
  target: Target;
  endpoint: Endpoint;
  /** True when a new version of the address has reset the endpoint. */
  renewed: boolean;
}

/** The endpoint's health after an attempt, and whether other deliveries to the endpoint became due. */
export interface AttemptResult {
  health?: EndpointHealth;
  /** The reason for the failure; absent on success and when no attempt was made. */
  error?: string;
  resumed?: boolean;
}

const attemptDuration = durationOf('recording.webhook.attempt.duration');
const deliveryDelay = durationOf('recording.webhook.delay');
const countAttempt = countOf('recording.webhook.attempts');
const countPaused = countOf('recording.webhook.endpoints.paused');
// Starts each series at 0, because a rate ignores the first value of a series.
for (const outcome of ['delivered', 'refused', 'unreachable'])
  for (const attempt of ['first', 'later'])
    countAttempt({ 'recording.outcome': outcome, 'recording.attempt': attempt }, 0);
countPaused({}, 0);

// The wait after a fault in this service. Such a fault does not count against the endpoint: the retry has the same step
// of the schedule.
const OWN_FAULT_MS = 5_000;

/** Returns the duration of a claim. During that time no other process sends the delivery. */
export const leaseMs = ({ attemptTimeoutMs, leaseMarginMs }: Config): number => attemptTimeoutMs + leaseMarginMs;

export const withEndpoint = async (
  { store, clock }: Pick<DeliverDeps, 'store' | 'clock'>,
  projectId: string,
  target: Target,
  read?: Endpoint,
): Promise<TargetWithEndpoint> => ({
  target,
  ...(await store.endpoints.observe(projectId, target.version, clock.now(), read)),
});

/**
 * Makes one attempt at a claimed delivery and records the outcome. Pass `known` when the target was just read. Rejects
 * only after a fault in this service; the delivery is then due again when its lease expires.
 */
export async function deliver(
  deps: DeliverDeps,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
  known?: TargetWithEndpoint,
): Promise<AttemptResult> {
  const { config, store, log, clock, targets } = deps;
  try {
    let found = known ?? (await look(deps, delivery.projectId, targets.recent(delivery.projectId)));
    // Makes no attempt: the address has changed since the read of the target, and the outcome at the old address would
    // count for the new one.
    if (found && found.endpoint.targetVersion > found.target.version)
      found = await look(deps, delivery.projectId, targets.of(delivery.projectId, signal));
    if (!found) {
      await store.queue.putBack(delivery, { state: 'erased' });
      return {};
    }
    const { target, endpoint, renewed } = found;
    if (renewed) await resumeWaiting(deps, endpoint);
    // Checks for an erasure again directly before the attempt: the steps above may take long, and an erasure may have
    // finished during them.
    if (await store.ledger.isErased(delivery)) {
      await store.queue.putBack(delivery, { state: 'erased' });
      return { resumed: renewed };
    }
    if (target.url === '' || (endpoint.state === 'paused' && !delivery.forced)) {
      await store.queue.putBack(delivery, { state: delivery.eventType === TEST_EVENT ? 'failed' : 'paused' });
      return { resumed: (await afterPausing(deps, endpoint)) || renewed };
    }
    // If an attempt outlasts its lease, another process sends the delivery at the same time. Slow reads or a pause of
    // this process use up part of the lease.
    const now = clock.now();
    if (now.getTime() + config.attemptTimeoutMs > delivery.leaseUntil.getTime()) {
      log.warn(idsOf(delivery), 'The lease of a delivery is too short for an attempt; the next lease holder sends it');
      await store.queue.putBack(delivery, { state: 'pending', nextAt: now });
      return { resumed: renewed };
    }
    const body = await openBody(deps, delivery);
    if (!body) return { resumed: renewed };
    const result = await inAttemptSpan(delivery, () => sendOnce(deps, { ...delivery, body }, target, endpoint, signal));
    return { ...result, resumed: renewed || result.resumed === true };
  } catch (error) {
    // If this process is stopping, another process may send the delivery at once.
    const nextAt = new Date(clock.now().getTime() + (signal.aborted ? 0 : OWN_FAULT_MS));
    if (!signal.aborted)
      log.warn({ err: error, ...idsOf(delivery) }, 'An attempt failed before it was sent; it will be retried');
    await store.queue.putBack(delivery, { state: 'pending', nextAt });
    return {};
  }
}

/** Returns the target and its endpoint; undefined when the project no longer exists. */
async function look(
  deps: DeliverDeps,
  projectId: string,
  pending: Promise<Target | undefined>,
): Promise<TargetWithEndpoint | undefined> {
  const target = await pending;
  return target && (await withEndpoint(deps, projectId, target));
}

async function sendOnce(
  deps: DeliverDeps,
  delivery: ClaimedDelivery & { body: Buffer },
  target: Target,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const { store, sender, config, log, clock } = deps;
  const at = clock.now();
  const { id, eventType, body } = delivery;
  const event = { id, type: sentType(delivery), body, isTest: eventType === TEST_EVENT };
  const headers = attemptHeaders(event, target.secrets, { prefix: config.headerPrefix, at });
  const freeSince = deps.turns.begin(endpoint, delivery.createdAt);
  const sentSince = deps.sending.current().since.getTime();
  const delayMs = delayOf(delivery, endpoint, at, Math.max(freeSince, sentSince));
  const startedAt = performance.now();
  const sent = await sender.send({ url: target.url, headers, body }, signal);
  const durationMs = Math.round(performance.now() - startedAt);
  const outcome = outcomeOf(sent, clock.now());
  const word = outcome.delivered ? 'delivered' : outcome.status === 0 ? 'unreachable' : 'refused';
  attemptDuration(durationMs / 1_000, { 'recording.outcome': word });
  if (delayMs !== undefined) deliveryDelay(delayMs / 1_000, {});
  countAttempt({ 'recording.outcome': word, 'recording.attempt': delivery.attemptCount === 0 ? 'first' : 'later' });
  const attempt: Attempt = {
    at,
    statusCode: outcome.status,
    error: outcome.delivered ? '' : outcome.error,
    durationMs,
  };
  log.info(
    { ...idsOf(delivery), type: delivery.eventType, ...attempt },
    outcome.delivered ? 'An event was delivered' : 'An endpoint did not accept an event',
  );
  if (!outcome.delivered) return failed(deps, delivery, endpoint, attempt, outcome);
  await store.queue.succeeded(delivery, attempt);
  const resumed = await afterSuccess(deps, delivery, endpoint);
  return { health: durationMs > config.slowAnswerMs ? 'slow' : 'well', resumed };
}

/**
 * Returns how long the first attempt at an event waited for this service. Does not count time in which the endpoint
 * failed, was paused or used all its permits, or in which all deliveries were paused. Returns undefined for test
 * events, while the endpoint fails, and for redelivered events, because they can have any age.
 */
function delayOf(
  { eventType, forced, attemptCount, createdAt }: ClaimedDelivery,
  { failingSince, wellSince }: Endpoint,
  startedAt: Date,
  possibleSince: number,
): number | undefined {
  if (eventType === TEST_EVENT || forced || attemptCount > 0 || failingSince) return undefined;
  const possibleAt = Math.max(createdAt.getTime(), wellSince?.getTime() ?? 0, possibleSince);
  return Math.max(0, startedAt.getTime() - possibleAt);
}

/**
 * Makes this delivery due again if the owner resumed the endpoint before this process paused the delivery: the resume
 * did not see the delivery.
 */
async function afterPausing(
  { store, clock }: Pick<DeliverDeps, 'store' | 'clock'>,
  { projectId, targetVersion, state }: Endpoint,
): Promise<boolean> {
  await store.endpoints.scheduleChecks(projectId, clock.now());
  const now = await store.endpoints.get(projectId);
  const missed = now?.targetVersion !== targetVersion || (state === 'paused' && now.state === 'active');
  return missed && (await store.queue.resume(projectId, { waiting: false }, clock.now())) > 0;
}

async function afterSuccess(
  { store, clock }: Pick<DeliverDeps, 'store' | 'clock'>,
  delivery: ClaimedDelivery,
  endpoint: Endpoint,
): Promise<boolean> {
  const { projectId, targetVersion } = endpoint;
  if (delivery.eventType !== TEST_EVENT) {
    // Uses the endpoint that was read before the attempt, which saves a write. If another process has recorded a
    // failure since, the next success clears it.
    if (endpoint.failingSince) await store.endpoints.succeeded(projectId, targetVersion, clock.now());
    return false;
  }
  await store.endpoints.resume(projectId, targetVersion, clock.now());
  return (await resumeWaiting({ store, clock }, endpoint)) > 0;
}

async function resumeWaiting(
  { store, clock }: Pick<DeliverDeps, 'store' | 'clock'>,
  { projectId, targetVersion }: Endpoint,
): Promise<number> {
  const count = await store.queue.resume(projectId, { waiting: true }, clock.now());
  await store.endpoints.resumed(projectId, targetVersion);
  return count;
}

async function failed(
  deps: DeliverDeps,
  delivery: ClaimedDelivery,
  { projectId, targetVersion }: Endpoint,
  attempt: Attempt,
  outcome: Extract<Outcome, { delivered: false }>,
): Promise<AttemptResult> {
  const { store, config, clock, log } = deps;
  const result: AttemptResult = { health: 'failed', error: outcome.error };
  if (delivery.eventType === TEST_EVENT) {
    await store.queue.failed(delivery, attempt, { state: 'failed' });
    return result;
  }
  const now = clock.now();
  const endpoint = await store.endpoints.failed(projectId, targetVersion, attempt);
  const reason = endpoint && pauseReasonFor(endpoint, { gone: outcome.gone, now, pauseAfterMs: config.pauseAfterMs });
  if (reason && (await store.endpoints.pause(projectId, targetVersion, reason, now))) {
    countPaused({});
    log.warn({ projectId, reason }, 'An endpoint was paused; its owner must set the address again');
  }
  if (endpoint && (reason || endpoint.state === 'paused')) {
    await store.queue.failed(delivery, attempt, { state: 'paused' });
    await store.queue.pauseAll(projectId);
    return { ...result, resumed: await afterPausing(deps, { ...endpoint, state: 'paused' }) };
  }
  if (!endpoint) {
    // The address changed during this attempt: the delivery is retried at the new address at once.
    await store.queue.failed(delivery, attempt, { state: 'pending', nextAt: now });
    return { ...result, resumed: true };
  }
  const { retryScheduleSec: scheduleSec } = config;
  const { retryAfterMs } = outcome;
  const delayMs = retryDelayMs(delivery.step, { scheduleSec, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
  await store.queue.failed(delivery, attempt, { state: 'pending', nextAt: new Date(now.getTime() + delayMs) });
  return result;
}
