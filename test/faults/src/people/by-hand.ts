import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from '../stage/bench.ts';
import type { Answer, Ask } from './http.ts';
import type { Entry } from './ledger.ts';
import type { Project } from './owner.ts';
import type { Take } from './takes.ts';

const TUS = { 'tus-resumable': '1.0.0' };
const LOCKED_MS = 100;
const BYTES = { ...TUS, 'content-type': 'application/offset+octet-stream' };

/** One take that a case sends request by request, where a contributor would send it in one go. */
export interface ByHand {
  /** In the ledger as unknown, until the case says how it ended. */
  entry: Entry;
  /** Claims the use. */
  begin(): Promise<Answer>;
  /** Creates an upload of the take's length, or of what the headers say; `sent` is where it is from then on. */
  create(headers?: Record<string, string>): Promise<Answer>;
  /** Sends the take's bytes from `offset` to `end`, or to its end. Rejects when the connection breaks. */
  patch(offset: number, more?: Pick<Ask, 'cutAfter' | 'headers'> & { end?: number; bytes?: Buffer }): Promise<Answer>;
  head(): Promise<Answer>;
  remove(): Promise<Answer>;
  /** What the response shows of its uploads. */
  response(): Promise<Answer>;
  /** Where it stands, once whoever writes to it has let go. */
  standing(): Promise<number>;
  /** Sends the rest, piece by piece. Ends the entry as ok; anything but success is a violation. */
  finish(from: number, options?: { chunkBytes?: number }): Promise<void>;
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
    begin: () => doors.ask(`${link}/responses`, { method: 'POST', json: { responseSessionId } }),
    async create(headers = { 'upload-length': String(take.bytes.length) }) {
      const pairs = { responseSessionId, filetype: take.mimeType };
      const metadata = Object.entries(pairs).map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`);
      const answer = await doors.ask(`${link}/uploads`, {
        method: 'POST',
        headers: { ...TUS, 'upload-metadata': metadata.join(','), ...headers },
      });
      if (answer.status === 201) upload = answer.headers.location!;
      return answer;
    },
    patch: (offset, { end, bytes, headers, cutAfter } = {}) =>
      doors.ask(upload, {
        method: 'PATCH',
        headers: { ...BYTES, 'upload-offset': String(offset), ...headers },
        body: bytes ?? take.bytes.subarray(offset, end),
        ...(cutAfter === undefined ? {} : { cutAfter }),
      }),
    head: () => doors.ask(upload, { method: 'HEAD', headers: TUS }),
    remove: () => doors.ask(upload, { method: 'DELETE', headers: TUS }),
    response: () => doors.ask(`${link}/responses/${responseSessionId}`),
    async standing() {
      for (;;) {
        const answer = await hand.head();
        if (answer.status === 200) return Number(answer.headers['upload-offset']);
        if (answer.status !== 423) throw new Error(`${answer.what}: ${answer.bytes}`);
        await delay(LOCKED_MS);
      }
    },
    async finish(from, { chunkBytes = take.bytes.length } = {}) {
      for (let offset = from; ; ) {
        const end = Math.min(take.bytes.length, offset + chunkBytes);
        const answer = await hand.patch(offset, { end });
        const wanted = end < take.bytes.length ? [204] : [200, 202];
        if (wanted.includes(answer.status)) {
          offset = end;
          if (answer.status === 204) continue;
          Object.assign(entry, { outcome: 'ok', why: '', submissionId: answer.json().submissionId });
          return;
        }
        // What was still under way of a request that broke arrived after the upload had been asked where it stands.
        const stands = answer.status === 409 || answer.status === 423 ? await hand.standing() : offset;
        if (stands <= offset && answer.status !== 423) {
          entry.why = `${answer.what}: ${answer.bytes.toString().slice(0, 200)}`;
          return violated(`a take that was begun could not go on: ${entry.why}`);
        }
        offset = stands;
      }
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
