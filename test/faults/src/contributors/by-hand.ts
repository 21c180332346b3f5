import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { tusMetadata } from '@recording-request/harness/tus';
import type { Answer, Ask } from '../harness/gateway-client.ts';
import type { Harness } from '../harness/harness.ts';
import type { Project } from '../owner/owner.ts';
import type { Entry } from './ledger.ts';
import type { Take } from './takes.ts';

const TUS = { 'tus-resumable': '1.0.0' };
export const BYTES = { ...TUS, 'content-type': 'application/offset+octet-stream' };

/** One take that a case sends request by request. */
export interface ByHand {
  /** The take's entry in the ledger. Its outcome is `unknown` until the case sets another one. */
  entry: Entry;
  /** The path of the upload from `create`. */
  readonly upload: string;
  /** Claims the use. */
  begin(): Promise<Answer>;
  /** Creates an upload with the take's length or with these headers. The methods below use this upload. */
  create(headers?: Record<string, string>): Promise<Answer>;
  /** Sends the take's bytes from `offset` to `end` (default: the last byte). Rejects when the connection fails. */
  patch(offset: number, more?: Pick<Ask, 'cutAfter' | 'headers'> & { end?: number }): Promise<Answer>;
  head(): Promise<Answer>;
  remove(): Promise<Answer>;
  /** Waits until no other writer has the lease. Returns the upload's offset. */
  standing(): Promise<number>;
  /** Sends the rest in chunks, and retries when the service is busy. Returns the last response. */
  send(from: number, options?: { chunkBytes?: number }): Promise<Answer>;
  /** Sends the rest and sets the entry to ok. Reports any failure as a violation. */
  finish(from: number, options?: { chunkBytes?: number }): Promise<void>;
}

const PATIENCE_MS = 90_000;
/** Statuses that report another writer or a busy service. The client retries such a request. */
const LATER = new Set([423, 503]);

async function withRetries(ask: () => Promise<Answer>): Promise<Answer> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (!LATER.has(answer.status) || Date.now() > until) return answer;
    await delay(200);
  }
}

export function byHand(
  { gateway, ledger, violated }: Pick<Harness, 'gateway' | 'ledger' | 'violated'>,
  { project, url = project.sharedUrl }: { project: Project; url?: string },
  take: Take,
  responseSessionId: string = randomUUID(),
): ByHand {
  const link = new URL(url).pathname;
  const entry: Entry = {
    ...{ take, projectId: project.projectId, link: url, responseSessionId, questionIndex: 0 },
    ...{ outcome: 'unknown', submissionId: undefined, why: 'the case did not finish it' },
  };
  ledger.entries.push(entry);
  let upload = '';
  const hand: ByHand = {
    entry,
    get upload() {
      return upload;
    },
    begin: () => withRetries(() => gateway.ask(`${link}/responses`, { method: 'POST', json: { responseSessionId } })),
    async create(headers = { 'upload-length': String(take.bytes.length) }) {
      const pairs = { responseSessionId, filetype: take.mimeType };
      const ask = { method: 'POST', headers: { ...TUS, 'upload-metadata': tusMetadata(pairs), ...headers } };
      const answer = await withRetries(() => gateway.ask(`${link}/uploads`, ask));
      if (answer.status === 201) upload = answer.headers.location!;
      return answer;
    },
    patch: (offset, { end, headers, cutAfter } = {}) =>
      gateway.ask(upload, {
        method: 'PATCH',
        headers: { ...BYTES, 'upload-offset': String(offset), ...headers },
        body: take.bytes.subarray(offset, end),
        ...(cutAfter === undefined ? {} : { cutAfter }),
      }),
    head: () => gateway.ask(upload, { method: 'HEAD', headers: TUS }),
    remove: () => gateway.ask(upload, { method: 'DELETE', headers: TUS }),
    standing: async () => {
      const answer = await withRetries(hand.head);
      if (answer.status !== 200) throw new Error(`${answer.what}: ${answer.bytes}`);
      return Number(answer.headers['upload-offset']);
    },
    async send(from, { chunkBytes = take.bytes.length } = {}) {
      const until = Date.now() + PATIENCE_MS;
      for (let offset = from; ; ) {
        const end = Math.min(take.bytes.length, offset + chunkBytes);
        const answer = await hand.patch(offset, { end });
        if (answer.status === 204) {
          if (end === take.bytes.length) return answer;
          offset = end;
          continue;
        }
        const isLater = LATER.has(answer.status);
        if ((!isLater && answer.status !== 409) || Date.now() > until) return answer;
        // Bytes of a failed request may have arrived after the offset was read.
        const stands = await hand.standing();
        if (!isLater && stands <= offset) return answer;
        offset = stands;
      }
    },
    async finish(from, options) {
      const answer = await hand.send(from, options);
      if (answer.status === 200 || answer.status === 202) {
        Object.assign(entry, { outcome: 'ok', why: '', submissionId: answer.json().submissionId });
        return;
      }
      entry.why = `${answer.what}: ${answer.bytes.toString().slice(0, 200)}`;
      violated(`a started take could not continue: ${entry.why}`);
    },
  };
  return hand;
}

/** Reports a violation unless the response has one of these statuses and a sentence with the reason. */
export function expectRefusal(
  harness: Pick<Harness, 'violated'>,
  answer: Answer,
  statuses: number[],
  what: string,
): void {
  const text = answer.bytes.toString();
  const isRight = statuses.includes(answer.status);
  if (!isRight)
    harness.violated(`${what} returned ${answer.status}, not ${statuses.join(' or ')}: ${text.slice(0, 200)}`);
  else if (sentenceOf(text).length < 10)
    harness.violated(`${what} was refused without a reason: ${text.slice(0, 200)}`);
}

function sentenceOf(text: string): string {
  try {
    return String(JSON.parse(text).error ?? '');
  } catch {
    return '';
  }
}
