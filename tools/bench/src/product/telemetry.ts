import { fileURLToPath } from 'node:url';
import { freePort } from '@recording-request/stack/ports';
import { waitFor } from '@recording-request/stack/wait';
import { startPeer } from '../peers/peer.ts';
import type { Bench } from '../row.ts';

/** Longer than an exporter waits for an answer, so it drops each batch. */
const SLOW_MS = 15_000;
/** Longer than the minute between two exports of metrics. */
const CAME_MS = 90_000;
const SIGNALS = ['traces', 'metrics'] as const;

/** A collector, and the variables that make services send to it: only its address. */
export interface Collector {
  env: Record<string, string>;
  /** Resolves once spans and metrics have come. */
  came(): Promise<void>;
}

const variables = (url: string): Record<string, string> => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url });

/** Starts a collector that accepts everything. With `slow`, each answer comes after the exporter's timeout. */
export async function startCollector(
  name: string,
  { peers, signal }: Bench,
  stack: AsyncDisposableStack,
  slow = false,
): Promise<Collector> {
  const { url } = stack.use(
    await startPeer(name, peers.place, {
      command: process.execPath,
      args: () => [fileURLToPath(import.meta.resolve('../peers/telemetry-sink.ts'))],
      env: port => ({ PORT: String(port), ANSWER_MS: slow ? String(SLOW_MS) : '0' }),
      ready: '/counts',
    }),
  );
  const counted = async (limit: AbortSignal) => {
    const counts = (await (await fetch(`${url}/counts`, { signal: limit })).json()) as Record<string, number>;
    return SIGNALS.every(each => (counts[each] ?? 0) > 0) || undefined;
  };
  return {
    env: variables(url),
    came: async () => void (await waitFor('spans and metrics', counted, { timeoutMs: CAME_MS, signal })),
  };
}

/** Returns variables that point services to a collector that does not run. */
export const deadCollector = async (): Promise<Record<string, string>> =>
  variables(`http://127.0.0.1:${await freePort()}`);
