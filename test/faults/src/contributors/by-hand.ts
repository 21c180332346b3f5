import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Ask } from '../harness/gateway-client.ts';
import type { Bench } from '../harness/harness.ts';
import type { Project } from '../owner/owner.ts';
import type { Entry } from './ledger.ts';
import type { Take } from './takes.ts';

const TUS = { 'tus-resumable': '1.0.0' };
const BYTES = { ...TUS, 'content-type': 'application/offset+octet-stream' };

/** One take that a case sends request by request, where a contributor would send it in one go. */
export interface ByHand {
  /** In the ledger as unknown, until the case says how it ended. */
  entry: Entry;
  /** Claims the use. */
  begin(): Promise<Answer>;
  /** Creates an upload of the take's length, or of what the headers say; what follows is about it. */
  create(headers?: Record<string, string>): Promise<Answer>;
  /** Sends the take's bytes from `offset` to `end`, or to its end. Rejects when the connection breaks. */
  patch(offset: number, more?: Pick<Ask, 'cutAfter' | 'headers'> & { end?: number }): Promise<Answer>;
  head(): Promise<Answer>;
  remove(): Promise<Answer>;
  /** Where it stands, once whoever writes to it has let go. */
  standing(): Promise<number>;
  /** Sends the rest, piece by piece, also when it is told to come later; the answer that ended it. */
  send(from: number, options?: { chunkBytes?: number }): Promise<Answer>;
  /** Sends the rest and ends the entry as ok; anything but success is a violation. */
  finish(from: number, options?: { chunkBytes?: number }): Promise<void>;
}

const PATIENCE_MS = 90_000;
/** A machine that is busy, or another writer: to be tried again. */
const LATER = new Set([423, 503]);

async function patiently(ask: () => Promise<Answer>): Promise<Answer> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (!LATER.has(answer.status) || Date.now() > until) return answer;
    await delay(200);
  }
}

export function byHand(
  { doors, ledger, violated }: Pick<Bench, 'doors' | 'ledger' | 'violated'>,
  { project, url = project.sharedUrl }: { project: Project; url?: string },
  take: Take,
  responseSessionId: string = randomUUID(),
): ByHand {
  const link = new URL(url).pathname;
  const entry: Entry = {
    ...{ take, projectId: project.projectId, link: url, responseSessionId, questionIndex: 0 },
    ...{ outcome: 'unknown', submissionId: undefined, why: 'the case did not end it' },
  };
  ledger.entries.push(entry);
  let upload = '';
  const hand: ByHand = {
    entry,
    begin: () => patiently(() => doors.ask(`${link}/responses`, { method: 'POST', json: { responseSessionId } })),
    async create(headers = { 'upload-length': String(take.bytes.length) }) {
      const pairs = { responseSessionId, filetype: take.mimeType };
      const metadata = Object.entries(pairs).map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`);
      const ask = { method: 'POST', headers: { ...TUS, 'upload-metadata': metadata.join(','), ...headers } };
      const answer = await patiently(() => doors.ask(`${link}/uploads`, ask));
      if (answer.status === 201) upload = answer.headers.location!;
      return answer;
    },
    patch: (offset, { end, headers, cutAfter } = {}) =>
      doors.ask(upload, {
        method: 'PATCH',
        headers: { ...BYTES, 'upload-offset': String(offset), ...headers },
        body: take.bytes.subarray(offset, end),
        ...(cutAfter === undefined ? {} : { cutAfter }),
      }),
    head: () => doors.ask(upload, { method: 'HEAD', headers: TUS }),
    remove: () => doors.ask(upload, { method: 'DELETE', headers: TUS }),
    standing: async () => {
      const answer = await patiently(hand.head);
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
        // What was still under way of a request that broke may have arrived after the upload was asked where it stands.
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
      violated(`a take that was begun could not go on: ${entry.why}`);
    },
  };
  return hand;
}

/** A 4xx that says in a sentence why. Whatever else it is, is a violation. */
export function expectRefusal(bench: Pick<Bench, 'violated'>, answer: Answer, statuses: number[], what: string): void {
  const text = answer.bytes.toString();
  const isRight = statuses.includes(answer.status);
  if (!isRight)
    bench.violated(`${what} was answered ${answer.status}, not ${statuses.join(' or ')}: ${text.slice(0, 200)}`);
  else if (sentenceOf(text).length < 10)
    bench.violated(`${what} was refused without a sentence that says why: ${text.slice(0, 200)}`);
}

function sentenceOf(text: string): string {
  try {
    return String(JSON.parse(text).error ?? '');
  } catch {
    return '';
  }
}
