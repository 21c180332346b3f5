import { bounded } from '@recording-request/kit/bounds';

// A stopping service has at least this time left after its jobs and connections have ended.
const FLUSH_MS = 3_000;

let shutdown: (() => Promise<void>) | undefined;

/** Sets the function that shuts down the SDK. Called once, when the SDK starts. */
export function endTelemetryBy(end: () => Promise<void>): void {
  shutdown = end;
}

/**
 * Sends the data that is still in the queues. This is the last step of a process. If the collector does not respond
 * within three seconds, the process ends, even with an open connection to the collector.
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
