import { giveUp } from '@recording-request/fault-test/contributors/contributor';
import type { Entry } from '@recording-request/fault-test/contributors/ledger';
import { type ClientBehaviour, Refused, sendTake } from '@recording-request/fault-test/contributors/sending';
import type { Random } from '@recording-request/stack/random';
import {
  FIRST_PIECE,
  nextPiece,
  retryDelayMs,
  smallerPiece,
} from '@recording-request/web-recorder/browser/effects/upload-plan';
import type { Http } from '../http.ts';
import type { Tally } from '../measure/tally.ts';

export interface Visit {
  http: Http;
  tally: Tally;
  random: Random;
  signal: AbortSignal;
  /** The ledger's entry. The contributor sets its outcome. */
  entry: Entry;
  violations: string[];
  /** The length of the recording. */
  seconds: number;
  /** The planned time of arrival, by performance.now(). */
  intendedAt: number;
}

/** The interval at which the recorder gets recorded bytes. */
const TIMESLICE_MS = 1_000;
/** The maximum time from the end of the recording to the landing. */
const PATIENCE_MS = 240_000;
/** The names of requests in the tally. The name of any other request is its method. */
const NAMES: [RegExp, string][] = [
  [/^GET .*\/responses\//, 'look'],
  [/^GET \/r\/\w+$/, 'recording page'],
  [/^POST .*\/responses$/, 'begin'],
  [/^POST .*\/uploads$/, 'create'],
  [/^POST .*\/opened$/, 'opened'],
];

/**
 * Plays one contributor with one take, by the rules of the recorder: opens the link, records, sends the bytes while the
 * recording grows, and waits for the landing. Returns the time of the landing by Date.now(). After a failure, returns
 * undefined and sets the entry's reason.
 */
export async function contribute(visit: Visit): Promise<number | undefined> {
  const { entry, tally, seconds, signal, violations } = visit;
  const patience = AbortSignal.any([signal, AbortSignal.timeout(1_000 * seconds + PATIENCE_MS)]);
  const recording = record(entry.take.bytes.length, seconds);
  let reason = 'timeout';
  try {
    await sendTake(entry, { manner: { ...recorderOf(visit), ...recording }, violations, patience });
    tally.took('last byte → landed', performance.now() - recording.endsAt());
    return Date.now();
  } catch (error) {
    signal.throwIfAborted();
    giveUp(entry, error as Error, patience);
    if (error instanceof Refused) reason = error.message;
  }
  tally.failed(`a contributor ended without a landed clip (${reason})`);
  return undefined;
}

/** Returns a recording that begins when its bytes are first read. */
function record(total: number, seconds: number) {
  const lengthMs = 1_000 * seconds;
  let beganAt: number | undefined;
  return {
    recorded() {
      beganAt ??= performance.now();
      const elapsed = Math.floor((performance.now() - beganAt) / TIMESLICE_MS) * TIMESLICE_MS;
      return Math.floor(Math.min(1, elapsed / lengthMs) * total);
    },
    endsAt: () => beganAt! + lengthMs,
  };
}

/** Returns a sender that acts like the recorder, with the same requests, piece sizes and retries. */
function recorderOf({ http, tally, random, entry, intendedAt }: Visit): Omit<ClientBehaviour, 'recorded'> {
  const link = new URL(entry.link).pathname;
  const id = Buffer.from(entry.responseSessionId.replaceAll('-', ''), 'hex');
  const address = `10.${id[0]}.${id[1]}.${id[2]}`;
  let piece = FIRST_PIECE;
  return {
    ...{ deferLength: true, waitsForUse: true, untilLanded: true },
    opening: [
      { path: link, ask: { headers: { accept: 'text/html' } } },
      { path: `${link}/opened`, ask: { method: 'POST' } },
    ],
    async ask(path, ask) {
      const { method = 'GET' } = ask;
      const what = NAMES.find(([pattern]) => pattern.test(`${method} ${path}`))?.[1] ?? method;
      const answer = await http.ask(tally, what, address, path, ask);
      if (!answer) throw new Error('no answer');
      if (what === 'recording page' && answer.status < 400) tally.took(what, performance.now() - intendedAt);
      return answer;
    },
    declares: () => true,
    piece: () => piece,
    accepted(bytes, tookMs) {
      tally.took('each PATCH', tookMs);
      if (bytes > 0) piece = nextPiece(piece, tookMs, bytes === piece);
    },
    retryMs(tries, askedMs) {
      piece = smallerPiece(piece);
      return Math.max(retryDelayMs(tries, random.next()), askedMs);
    },
  };
}
