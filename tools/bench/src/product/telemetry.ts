import { fileURLToPath } from 'node:url';
import { waitFor } from '@recording-request/stack/wait';
import { startPeer } from '../peers/peer.ts';
import type { Bench } from '../row.ts';

/** Longer than the minute between two exports of metrics. */
const ARRIVAL_MS = 90_000;
const SIGNALS = ['traces', 'metrics'] as const;

/** A collector, and the variables that make services send to it. They contain only its address. */
export interface Collector {
  env: Record<string, string>;
  /** Resolves when spans and metrics have arrived. */
  came(): Promise<void>;
}

/** Starts a collector that accepts everything. */
export async function startCollector({ peers, signal }: Bench, stack: AsyncDisposableStack): Promise<Collector> {
  const { url } = stack.use(
    await startPeer('collector', peers.place, {
      command: process.execPath,
      args: () => [fileURLToPath(import.meta.resolve('../peers/telemetry-sink.ts'))],
      env: port => ({ PORT: String(port) }),
      ready: '/counts',
    }),
  );
  const counted = async (limit: AbortSignal) => {
    const counts = (await (await fetch(`${url}/counts`, { signal: limit })).json()) as Record<string, number>;
    return SIGNALS.every(each => (counts[each] ?? 0) > 0) || undefined;
  };
  return {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: url },
    came: async () => void (await waitFor('spans and metrics', counted, { timeoutMs: ARRIVAL_MS, signal })),
  };
}
