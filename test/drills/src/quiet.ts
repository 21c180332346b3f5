import { setTimeout as delay } from 'node:timers/promises';
import type { System } from './system/system.ts';

const LOOK_MS = 1_000;
/** Nothing may fire for so long: an alert that comes and goes is not over when it has gone once. */
const STILL_MS = 6_000;

/**
 * Waits until nothing fires, not even what another alert keeps quiet, and nothing has for some seconds. Returns when that began
 * (by Date.now()); undefined where it took longer than `limitMs`. Rejects when the signal fires.
 */
export async function quiet(
  { prometheus }: Pick<System, 'prometheus'>,
  { limitMs, signal, lookMs = LOOK_MS }: { limitMs: number; signal: AbortSignal; lookMs?: number },
): Promise<number | undefined> {
  const end = Date.now() + limitMs;
  let since: number | undefined;
  while (Date.now() < end) {
    const firing = await prometheus.firing();
    since = firing.length > 0 ? undefined : (since ?? Date.now());
    if (since !== undefined && Date.now() - since >= STILL_MS) return since;
    await delay(lookMs, undefined, { signal });
  }
  return undefined;
}
