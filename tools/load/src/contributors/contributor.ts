import { setTimeout as delay } from 'node:timers/promises';
import type { Entry } from '@recording-request/fault-test/contributors/ledger';
import type { Random } from '@recording-request/stack/random';
import {
  FIRST_PIECE,
  nextPiece,
  nextRequest,
  retryDelayMs,
  smallerPiece,
} from '@recording-request/web-recorder/browser/effects/upload-plan';
import type { Answer, Ask, Http } from '../http.ts';
import type { Tally } from '../measure/tally.ts';

export interface Visit {
  http: Http;
  tally: Tally;
  random: Random;
  signal: AbortSignal;
  /** Of the ledger; its outcome is set. */
  entry: Entry;
  /** How long the recording lasts. */
  seconds: number;
  /** When the contributor was to come, by performance.now(). */
  intendedAt: number;
}

/** As often as the recorder gets what was recorded. */
const TIMESLICE_MS = 1_000;
const POLL_MS = 700;
/** From the end of the recording on. */
const PATIENCE_MS = 240_000;
const TUS = { 'tus-resumable': '1.0.0' };
const OCTETS = 'application/offset+octet-stream';
/** Statuses at which the recorder tries again, beside those from 500 on. */
const TRANSIENT = new Set([408, 409, 423, 425, 429]);

/** The service refused, and would refuse again. */
class Refused extends Error {}
/** To be tried again, from the offset that the service tells. */
class Again extends Error {
  readonly waitMs: number;
  constructor(waitMs: number) {
    super('to be tried again');
    this.waitMs = waitMs;
  }
}

/**
 * One contributor with one take, by the rules of the recorder: opens the link, records, sends what there is while it grows, and
 * waits until it has landed. Resolves to when it did, by Date.now(); to undefined, with the reason in the entry, when it did not.
 */
export async function contribute(visit: Visit): Promise<number | undefined> {
  const { entry, tally, seconds, signal } = visit;
  const patience = AbortSignal.any([signal, AbortSignal.timeout(1_000 * seconds + PATIENCE_MS)]);
  try {
    await open(visit, patience);
    return await send(visit, patience);
  } catch (error) {
    signal.throwIfAborted();
    // Where the service has confirmed the whole take it stays responsible for it.
    if (entry.outcome !== 'ok') {
      entry.outcome = error instanceof Refused ? 'failed' : 'unknown';
      entry.why = patience.aborted ? `not landed ${PATIENCE_MS / 1_000} s after its end` : (error as Error).message;
    }
    tally.failed(
      `a contributor ended without a landed clip (${error instanceof Refused ? entry.why : 'no end in time'})`,
    );
    return undefined;
  }
}

const addressOf = ({ entry }: Visit) => {
  const bytes = Buffer.from(entry.responseSessionId.replaceAll('-', ''), 'hex');
  return `10.${bytes[0]}.${bytes[1]}.${bytes[2]}`;
};

/** Sends one request. Throws Again where the recorder would come back, Refused where it would give up. */
async function once(visit: Visit, what: string, path: string, ask: Ask, tries: number): Promise<Answer> {
  const answer = await visit.http.ask(visit.tally, what, addressOf(visit), path, ask);
  if (answer && answer.status < 400) return answer;
  const own = retryDelayMs(tries + 1, visit.random.next());
  if (!answer) throw new Again(own);
  if (answer.status < 500 && !TRANSIENT.has(answer.status))
    throw new Refused(`${what}: ${answer.status} ${answer.body.toString().slice(0, 200)}`);
  throw new Again(Math.max(own, 1_000 * (Number(answer.headers['retry-after']) || 0)));
}

async function persist(visit: Visit, what: string, path: string, ask: Ask, patience: AbortSignal): Promise<Answer> {
  for (let tries = 0; ; tries++) {
    try {
      return await once(visit, what, path, ask, tries);
    } catch (error) {
      if (!(error instanceof Again)) throw error;
      await delay(error.waitMs, undefined, { signal: patience });
    }
  }
}

async function open(visit: Visit, patience: AbortSignal): Promise<void> {
  const { entry, tally, intendedAt } = visit;
  const link = new URL(entry.link).pathname;
  await persist(visit, 'recording page', link, { headers: { accept: 'text/html' } }, patience);
  tally.took('recording page', performance.now() - intendedAt);
  await persist(visit, 'opened', `${link}/opened`, { method: 'POST' }, patience);
  const { responseSessionId } = entry;
  await persist(visit, 'begin', `${link}/responses`, { method: 'POST', json: { responseSessionId } }, patience);
}

/** Resolves to when the take landed. */
async function send(visit: Visit, patience: AbortSignal): Promise<number> {
  const { entry, tally, seconds } = visit;
  const { bytes } = entry.take;
  const began = performance.now();
  const endsAt = began + 1_000 * seconds;
  const elapsed = () => performance.now() - began;
  const recorded = () => {
    const share = Math.min(1, (Math.floor(elapsed() / TIMESLICE_MS) * TIMESLICE_MS) / (1_000 * seconds));
    return share === 1 ? bytes.length : Math.floor(share * bytes.length);
  };
  let uploadUrl: string | null = null;
  let offset: number | undefined;
  let length: number | undefined;
  let [piece, tries] = [FIRST_PIECE, 0];
  const landed = (answer: Answer): boolean => {
    if (answer.status === 202) confirm(entry, answer);
    if (answer.status !== 200) return false;
    confirm(entry, answer);
    return entry.submissionId !== undefined;
  };
  const patch = async (body: Buffer, headers: Record<string, string> = {}): Promise<boolean> => {
    const ask: Ask = {
      method: 'PATCH',
      headers: { ...TUS, 'content-type': OCTETS, 'upload-offset': String(offset), ...headers },
      body,
    };
    const answer = await once(visit, 'PATCH', uploadUrl!, ask, tries);
    tally.took('each PATCH', answer.ms);
    const reached = Number(answer.headers['upload-offset'] ?? offset! + body.length);
    if (body.length > 0) piece = nextPiece(piece, answer.ms, body.length === piece);
    offset = reached;
    return landed(answer);
  };
  /** One request; true once the take has landed. */
  const step = async (): Promise<boolean> => {
    const size = recorded();
    const sent = size === bytes.length;
    switch (nextRequest({ uploadUrl, sent }, { offset, length, size })) {
      case 'create':
        uploadUrl = await create(visit, tries);
        offset = 0;
        return false;
      case 'find': {
        const { headers } = await once(visit, 'HEAD', uploadUrl!, { method: 'HEAD', headers: TUS }, tries);
        length = headers['upload-length'] === undefined ? undefined : Number(headers['upload-length']);
        offset = Number(headers['upload-offset']);
        return false;
      }
      case 'declare': {
        const isLanded = await patch(Buffer.alloc(0), { 'upload-length': String(bytes.length) });
        length = bytes.length;
        return isLanded;
      }
      case 'send':
        return patch(bytes.subarray(offset, Math.min(size, offset! + piece)));
      case 'rest':
        await delay(TIMESLICE_MS - (elapsed() % TIMESLICE_MS), undefined, { signal: patience });
        return false;
      case 'look': {
        // All of it is there and its length is known: the service is responsible from here on.
        if (await arrived(visit, tries)) return true;
        await delay(POLL_MS, undefined, { signal: patience });
        offset = undefined;
        return false;
      }
      case 'short':
        throw new Error(`the server was told of ${length} bytes of a take of ${size}`);
    }
  };
  for (;;) {
    patience.throwIfAborted();
    try {
      const isLanded = await step();
      tries = 0;
      if (!isLanded) continue;
      tally.took('last byte → landed', performance.now() - endsAt);
      return Date.now();
    } catch (error) {
      if (!(error instanceof Again)) throw error;
      tries += 1;
      offset = undefined;
      piece = smallerPiece(piece);
      await delay(error.waitMs, undefined, { signal: patience });
    }
  }
}

async function create(visit: Visit, tries: number): Promise<string> {
  const { entry } = visit;
  const metadata = { responseSessionId: entry.responseSessionId, filetype: entry.take.mimeType };
  const pairs = Object.entries(metadata).map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`);
  const headers = { ...TUS, 'upload-defer-length': '1', 'upload-metadata': pairs.join(',') };
  const path = `${new URL(entry.link).pathname}/uploads`;
  const answer = await once(visit, 'create', path, { method: 'POST', headers }, tries);
  return answer.headers.location!;
}

/** Whether the response shows that the take has landed. */
async function arrived(visit: Visit, tries: number): Promise<boolean> {
  const { entry } = visit;
  const path = `${new URL(entry.link).pathname}/responses/${entry.responseSessionId}`;
  const { answers } = JSON.parse((await once(visit, 'look', path, {}, tries)).body.toString()) as {
    answers: { submissionId: string | null; uploads: { state: string; error: string | null }[] }[];
  };
  const [answer] = answers;
  const refused = answer?.uploads.find(({ state }) => state === 'refused');
  if (refused) throw new Refused(`the take was refused: ${refused.error}`);
  if (answer?.uploads.some(({ state }) => state === 'finishing' || state === 'landed')) ok(entry);
  if (!answer?.submissionId) return false;
  ok(entry);
  entry.submissionId = answer.submissionId;
  return true;
}

function confirm(entry: Entry, answer: Answer): void {
  ok(entry);
  const { submissionId } = JSON.parse(answer.body.toString() || '{}') as { submissionId?: string };
  if (submissionId) entry.submissionId = submissionId;
}

function ok(entry: Entry): void {
  entry.outcome = 'ok';
  entry.why = '';
}
