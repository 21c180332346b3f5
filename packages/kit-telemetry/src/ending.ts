import { bounded } from '@recording-request/kit/bounds';

// Within what a stop has left once its jobs and connections have ended.
const FLUSH_MS = 3_000;

let shutdown: (() => Promise<void>) | undefined;

/** Called once, by what starts the SDK. */
export function endTelemetryBy(end: () => Promise<void>): void {
  shutdown = end;
}

/**
 * Sends what is still in the queues, as the last thing that a process does. A collector that does not answer within three
 * seconds gets none of it: the process ends then, also where a connection to that collector is open.
 */
export async function endTelemetry(): Promise<void> {
  const end = shutdown;
  shutdown = undefined;
  if (!end) return;
  const ended = end().catch(() => undefined);
  const inTime = await bounded(ended, FLUSH_MS, 'sending what is left').then(
    () => true,
    () => false,
  );
  if (!inTime) process.exit();
}
