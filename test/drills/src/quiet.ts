import { setTimeout as delay } from 'node:timers/promises';
import type { Prometheus, RuleAlert } from '@recording-request/harness/prometheus';

const LOOK_MS = 1_000;
/** The required time without alerts. An alert that flaps may stop and fire again. */
const STILL_MS = 6_000;

/**
 * Returns whether an alert lasts long after its cause: a ticket about a promise has a window of days that no factor
 * shortens.
 */
const looksBack = ({ labels }: Pick<RuleAlert, 'labels'>): boolean =>
  labels.severity === 'ticket' && labels.about === 'promise';

/**
 * Waits until no alert has fired for some seconds. Includes silenced alerts; ignores tickets about promises. Returns
 * the start of that period (by Date.now()), or undefined after a wait of `limitMs`. Rejects when the signal fires.
 */
export async function quiet(
  { prometheus }: { prometheus: Pick<Prometheus, 'alerts'> },
  { limitMs, signal, lookMs = LOOK_MS }: { limitMs: number; signal: AbortSignal; lookMs?: number },
): Promise<number | undefined> {
  const end = Date.now() + limitMs;
  let since: number | undefined;
  while (Date.now() < end) {
    const firing = (await prometheus.alerts()).filter(each => each.state === 'firing' && !looksBack(each));
    since = firing.length > 0 ? undefined : (since ?? Date.now());
    if (since !== undefined && Date.now() - since >= STILL_MS) return since;
    await delay(lookMs, undefined, { signal });
  }
  return undefined;
}
