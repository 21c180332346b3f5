import { randomUUID } from 'node:crypto';
import type { Random } from '@recording-request/stack/random';
import type { GatewayClient } from '../harness/gateway-client.ts';
import type { Entry, Ledger } from './ledger.ts';
import { Refused, sendTake } from './sending.ts';
import type { Take } from './takes.ts';

export interface ContributeOptions {
  /** Bytes of a PATCH; a random size by default. */
  chunkBytes?: number;
  /** The speed of a PATCH; unlimited by default. */
  bytesPerSecond?: number;
  /** True defers the length, as the recorder does; random by default. */
  deferLength?: boolean;
  /** Accepts the project's terms. */
  termsAccepted?: boolean;
  /** The milliseconds after which the contributor stops. */
  patienceMs?: number;
}

export interface ContributorDeps {
  gateway: GatewayClient;
  ledger: Ledger;
  random: Random;
  /** Stops every client. */
  signal: AbortSignal;
}

const PATIENCE_MS = 240_000;

/** Runs one contributor with one take. Records the outcome in the ledger; never rejects. */
export async function contribute(
  { gateway, ledger, random, signal }: ContributorDeps,
  place: { projectId: string; link: string },
  take: Take,
  options: ContributeOptions = {},
): Promise<Entry> {
  const entry: Entry = {
    ...{ take, ...place, responseSessionId: randomUUID(), questionIndex: 0 },
    ...{ outcome: 'unknown', submissionId: undefined, why: 'it was still sending' },
  };
  ledger.entries.push(entry);
  const patience = AbortSignal.any([signal, AbortSignal.timeout(options.patienceMs ?? PATIENCE_MS)]);
  const chunkBytes = options.chunkBytes ?? random.integer(8 * 1024, 64 * 1024);
  const deferLength = options.deferLength ?? random.chance(0.5);
  const total = take.bytes.length;
  const manner = {
    ...{ ask: gateway.ask, deferLength, waitsForUse: options.patienceMs === undefined, untilLanded: false },
    ...{ bytesPerSecond: options.bytesPerSecond, termsAccepted: options.termsAccepted },
    recorded: () => total,
    // Declares the length with the last piece, as a recorder does.
    declares: (offset: number) => offset + chunkBytes >= total,
    piece: () => chunkBytes,
    accepted: () => {},
    retryMs: (tries: number) => Math.min(2_000, 100 * 2 ** (tries - 1)) * (0.5 + random.next()),
  };
  await sendTake(entry, { manner, violations: ledger.violations, patience }).catch(error =>
    giveUp(entry, error, patience),
  );
  return entry;
}

/** Records why a take was not accepted. Does nothing if the service has confirmed the take and not refused it later. */
export function giveUp(entry: Entry, error: Error, patience: AbortSignal): void {
  if (entry.outcome === 'ok' && !(error instanceof Refused)) return;
  entry.outcome = error instanceof Refused ? 'failed' : 'unknown';
  entry.why = patience.aborted ? `no end in time; last: ${entry.why}` : error.message;
}
