import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@recording-request/stack/random';
import { tusMetadata } from '@recording-request/testing/tus';
import type { Answer, Ask, GatewayClient } from '../harness/gateway-client.ts';
import type { Entry, Ledger } from './ledger.ts';
import type { Take } from './takes.ts';

export interface ContributeOptions {
  /** Bytes of a PATCH; a random size by default. */
  chunkBytes?: number;
  /** How fast a PATCH is sent; as fast as it goes by default. */
  bytesPerSecond?: number;
  /** Random by default: a length known from the start, or deferred as the recorder does. */
  deferLength?: boolean;
  responseSessionId?: string;
  /** Accepts the terms of a project that has some. */
  termsAccepted?: boolean;
  questionIndex?: number;
  /** The client leaves for good once this many bytes were acknowledged. */
  leaveAfter?: number;
  /** Milliseconds until it gives up. */
  patienceMs?: number;
}

export interface ContributorDeps {
  gateway: GatewayClient;
  ledger: Ledger;
  random: Random;
  /** Ends every client. */
  signal: AbortSignal;
}

const PATIENCE_MS = 240_000;
const TUS = { 'tus-resumable': '1.0.0' };
const BYTES = { ...TUS, 'content-type': 'application/offset+octet-stream' };

/** The service refused, and would refuse again. */
class Refused extends Error {}
/** The client left on purpose. */
class Left extends Error {}
/** The upload no longer exists: the client starts a new one. */
class UploadGone extends Error {}

/**
 * One contributor with one take, as persistent as the recorder: retries whatever fails, resumes at the offset that the
 * service reports, and records the outcome in the ledger. Never rejects.
 */
export async function contribute(
  deps: ContributorDeps,
  place: { projectId: string; link: string },
  take: Take,
  options: ContributeOptions = {},
): Promise<Entry> {
  const { responseSessionId = randomUUID(), questionIndex = 0 } = options;
  const entry: Entry = {
    ...{ take, ...place, responseSessionId, questionIndex },
    ...{ outcome: 'unknown', submissionId: undefined, why: 'it was still sending' },
  };
  deps.ledger.entries.push(entry);
  const patience = AbortSignal.any([deps.signal, AbortSignal.timeout(options.patienceMs ?? PATIENCE_MS)]);
  try {
    await createPass(deps, entry, options, patience).handIn();
    entry.outcome = 'ok';
    entry.why = '';
  } catch (error) {
    entry.outcome = error instanceof Refused ? 'failed' : 'unknown';
    entry.why = patience.aborted ? `no end in time; last: ${entry.why}` : (error as Error).message;
  }
  return entry;
}

function createPass(deps: ContributorDeps, entry: Entry, options: ContributeOptions, patience: AbortSignal) {
  const { gateway, random } = deps;
  const { take, responseSessionId } = entry;
  const link = new URL(entry.link).pathname;
  const response = `${link}/responses/${responseSessionId}`;
  const total = take.bytes.length;
  const chunkBytes = options.chunkBytes ?? random.integer(8 * 1024, 64 * 1024);
  const deferLength = options.deferLength ?? random.chance(0.5);
  const { bytesPerSecond } = options;
  const pace = bytesPerSecond === undefined ? {} : { bytesPerSecond };
  const lengthHeader: Record<string, string> = deferLength
    ? { 'upload-defer-length': '1' }
    : { 'upload-length': String(total) };
  let acknowledged = 0;

  /** Repeats the request until the answer is something other than "later". */
  const persist = async (path: string, ask: Ask): Promise<Answer> => {
    for (let attempt = 0; ; attempt++) {
      const answer = await once(path, ask);
      if (answer) return answer;
      await pause(attempt);
    }
  };
  /** Returns undefined when the request is to be retried. */
  const once = async (path: string, ask: Ask): Promise<Answer | undefined> => {
    patience.throwIfAborted();
    try {
      const answer = await gateway.ask(path, ask);
      if (answer.status < 500 && answer.status !== 423 && answer.status !== 429) return answer;
      entry.why = `${answer.what}: ${answer.bytes.toString().slice(0, 200)}`;
    } catch (error) {
      entry.why = `${ask.method ?? 'GET'}: ${(error as Error).message}`;
    }
    return undefined;
  };
  const pause = (attempt: number) =>
    delay(Math.min(2_000, 100 * 2 ** attempt) * (0.5 + random.next()), undefined, { signal: patience });

  const begin = async () => {
    const json = { responseSessionId, ...(options.termsAccepted ? { termsAccepted: true } : {}) };
    for (let attempt = 0; ; attempt++) {
      const answer = await persist(`${link}/responses`, { method: 'POST', json });
      if (answer.status === 201) return;
      // Every use is claimed, and not all have landed: try again later.
      if (answer.status !== 409 || options.patienceMs !== undefined) throw refusal(answer);
      await pause(attempt);
    }
  };
  const create = async (): Promise<string> => {
    const metadata = { responseSessionId, filetype: take.mimeType, questionIndex: String(entry.questionIndex) };
    const headers = { ...TUS, ...lengthHeader, 'upload-metadata': tusMetadata(metadata) };
    const answer = await persist(`${link}/uploads`, { method: 'POST', headers });
    if (answer.status === 201) return answer.headers.location!;
    // What was sent before is landing, which the response shows in a moment.
    const isLanding = answer.status === 409 && answer.headers['error-code'] === 'upload_busy';
    if (answer.status === 410 || isLanding) throw new UploadGone(answer.what);
    throw refusal(answer);
  };
  /** The offset that the service reports for the upload. */
  const ask = async (upload: string): Promise<{ offset: number; isDeclared: boolean }> => {
    const answer = await persist(upload, { method: 'HEAD', headers: TUS });
    if (answer.status !== 200) throw new UploadGone(answer.what);
    const offset = Number(answer.headers['upload-offset']);
    if (offset < acknowledged)
      deps.ledger.violations.push(
        `an upload stood at byte ${offset} after byte ${acknowledged} had been acknowledged (response ${responseSessionId})`,
      );
    return { offset, isDeclared: answer.headers['upload-length'] !== undefined };
  };
  const send = async (upload: string): Promise<void> => {
    let { offset, isDeclared } = { offset: 0, isDeclared: !deferLength };
    for (let attempt = 0; ; ) {
      const isLast = offset + chunkBytes >= total;
      // Like the recorder, declares the length in a request of its own before it sends the rest.
      const declare = isLast && !isDeclared;
      const body = declare ? Buffer.alloc(0) : take.bytes.subarray(offset, offset + chunkBytes);
      const headers = {
        ...BYTES,
        'upload-offset': String(offset),
        ...(declare ? { 'upload-length': String(total) } : {}),
      };
      const answer = await once(upload, { method: 'PATCH', headers, body, ...pace });
      if (answer?.status === 200 || answer?.status === 202) {
        entry.submissionId = answer.json().submissionId;
        return;
      }
      if (answer?.status === 204) {
        attempt = 0;
        offset = acknowledged = Number(answer.headers['upload-offset']);
        isDeclared ||= declare;
        if (options.leaveAfter !== undefined && offset >= options.leaveAfter) throw new Left('the client went away');
        continue;
      }
      if (answer && answer.status !== 409) {
        if (answer.status === 404 || answer.status === 410) throw new UploadGone(answer.what);
        throw refusal(answer);
      }
      await pause(attempt++);
      ({ offset, isDeclared } = await ask(upload));
      if (offset === total && isDeclared) return;
    }
  };
  /** Whether the response shows that the take arrived whole. Sets the entry's submission once there is one. */
  const arrived = async (): Promise<boolean> => {
    const answer = await persist(response, {});
    if (answer.status !== 200) throw refusal(answer);
    const mine = answer
      .json()
      .answers.find((each: { questionIndex: number | null }) => (each.questionIndex ?? 0) === entry.questionIndex);
    entry.submissionId = mine?.submissionId ?? undefined;
    const uploads: { state: string; error: string | null }[] = mine?.uploads ?? [];
    if (entry.submissionId) return true;
    const refused = uploads.find(({ state }) => state === 'refused');
    if (refused) throw new Refused(`refused: ${refused.error}`);
    return uploads.some(({ state }) => state === 'finishing' || state === 'landed');
  };

  return {
    async handIn() {
      await begin();
      for (let attempt = 0; ; attempt++) {
        try {
          await send(await create());
          if (entry.submissionId || (await arrived())) return;
          entry.why = 'the whole take was sent, and the response does not show it';
        } catch (error) {
          if (!(error instanceof UploadGone)) throw error;
          if (await arrived()) return;
          entry.why = error.message;
        }
        acknowledged = 0;
        await pause(attempt);
      }
    },
  };
}

const refusal = (answer: Answer) => new Refused(`${answer.what}: ${answer.bytes.toString().slice(0, 300)}`);
