import { bounded } from '@recording-request/kit/bounds';

// A service that stops has at least this long after its jobs and connections have ended.
const FLUSH_MS = 3_000;

let shutdown: (() => Promise<void>) | undefined;

/** Sets how the SDK shuts down. Called once, at its start. */
export function endTelemetryBy(end: () => Promise<void>): void {
  shutdown = end;
}

/**
 * Sends what is still in the queues, as the last step of a process. If the collector does not answer within three seconds, the process
 * ends, even with an open connection to it.
 */
export async function endTelemetry(): Promise<void> {
  const end = shutdown;
  shutdown = undefined;
  if (!end) return;
  const ended = end().catch(() => undefined);
  const inTime = await bounded(ended, FLUSH_MS, 'sending the remaining data').then(
    () => true,
    () => false,
  );
  if (!inTime) process.exit();
}
