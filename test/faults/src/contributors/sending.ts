import { setTimeout as delay } from 'node:timers/promises';
import { tusMetadata } from '@recording-request/harness/tus';
import { nextRequest } from '@recording-request/web-recorder/browser/effects/upload-plan';
import type { Answer, Ask } from '../harness/gateway-client.ts';
import type { Entry } from './ledger.ts';

/** The way in which a client sends a take. */
export interface ClientBehaviour {
  /** Sends a request. Rejects without a complete response. */
  ask(path: string, ask: Ask): Promise<Answer>;
  deferLength: boolean;
  /** Returns the bytes of the take recorded so far. */
  recorded(): number;
  /** Returns true if the client declares a deferred length before it sends the bytes after `offset`. */
  declares(offset: number): boolean;
  /** Returns the bytes of the next PATCH. */
  piece(): number;
  /** Called after each accepted PATCH, with its bytes. */
  accepted(bytes: number, tookMs: number): void;
  /**
   * Returns the milliseconds before retry number `tries`, which counts from 1. `askedMs` is the delay that the service
   * requested.
   */
  retryMs(tries: number, askedMs: number): number;
  bytesPerSecond?: number | undefined;
  termsAccepted?: boolean | undefined;
  /** Requests before the claim, such as the request for the recording page. */
  opening?: readonly { path: string; ask: Ask }[];
  /** True if the client retries while every use of the link is claimed. */
  waitsForUse: boolean;
  /** True if the client waits for the submission, not only until the service has the whole take. */
  untilLanded: boolean;
}

const TUS = { 'tus-resumable': '1.0.0' };
const BYTES = { ...TUS, 'content-type': 'application/offset+octet-stream' };
/** Statuses below 500 on which a client retries. */
const TRANSIENT = new Set([408, 423, 425, 429]);
const LOOK_MS = 500;
const TIMESLICE_MS = 1_000;

/** The service refused the take permanently. */
export class Refused extends Error {}
/** The upload no longer exists: the client starts a new one. */
class UploadGone extends Error {}
/** The client must retry from the offset that the service reports. */
class Again extends Error {
  readonly askedMs: number;
  constructor(message: string, askedMs = 0) {
    super(message);
    this.askedMs = askedMs;
  }
}

const refusal = (answer: Answer) => new Refused(`${answer.what}: ${answer.bytes.toString().slice(0, 300)}`);

/**
 * Sends a take as persistently as the recorder: retries every failure, resumes at the service's offset, and starts a
 * new upload when the old one no longer exists. Sets the entry's outcome to ok when the service has confirmed the whole
 * take. Rejects with Refused, or with the reason of `patience`. An offset below an acknowledged offset is a violation.
 */
export async function sendTake(
  entry: Entry,
  how: { manner: ClientBehaviour; violations: string[]; patience: AbortSignal },
): Promise<void> {
  await new Sending(entry, how).run();
}

class Sending {
  readonly #entry: Entry;
  readonly #manner: ClientBehaviour;
  readonly #violations: string[];
  readonly #patience: AbortSignal;
  readonly #link: string;
  readonly #bytes: Buffer;
  #acknowledged = 0;
  #upload: string | null = null;
  #offset: number | undefined;
  #length: number | undefined;

  constructor(entry: Entry, { manner, violations, patience }: Parameters<typeof sendTake>[1]) {
    this.#entry = entry;
    this.#manner = manner;
    this.#violations = violations;
    this.#patience = patience;
    this.#link = new URL(entry.link).pathname;
    this.#bytes = entry.take.bytes;
  }

  async run(): Promise<void> {
    for (const { path, ask } of this.#manner.opening ?? []) await this.#persist(() => this.#accepted(path, ask));
    await this.#persist(() => this.#begin());
    for (;;) {
      try {
        while (!(await this.#persist(() => this.#step())));
        return;
      } catch (error) {
        if (!(error instanceof UploadGone)) throw error;
        if (await this.#persist(() => this.#arrived())) return;
        this.#entry.why = error.message;
        this.#upload = null;
        await delay(this.#manner.retryMs(1, 0), undefined, { signal: this.#patience });
      }
    }
  }

  /** Retries `work` while it throws Again. The next request then reads the offset. */
  async #persist<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Again)) throw error;
        this.#entry.why = error.message;
        this.#offset = undefined;
        await delay(this.#manner.retryMs(tries, error.askedMs), undefined, { signal: this.#patience });
      }
    }
  }

  async #once(path: string, ask: Ask): Promise<Answer> {
    this.#patience.throwIfAborted();
    const answer = await this.#manner.ask(path, ask).catch(error => {
      this.#patience.throwIfAborted();
      throw new Again(`${ask.method ?? 'GET'}: ${(error as Error).message}`);
    });
    if (answer.status < 500 && !TRANSIENT.has(answer.status)) return answer;
    const askedMs = 1_000 * (Number(answer.headers['retry-after']) || 0);
    throw new Again(`${answer.what}: ${answer.bytes.toString().slice(0, 200)}`, askedMs);
  }

  async #accepted(path: string, ask: Ask): Promise<void> {
    const answer = await this.#once(path, ask);
    if (answer.status >= 400) throw refusal(answer);
  }

  async #begin(): Promise<void> {
    const { termsAccepted, waitsForUse } = this.#manner;
    const json = { responseSessionId: this.#entry.responseSessionId, ...(termsAccepted ? { termsAccepted } : {}) };
    const answer = await this.#once(`${this.#link}/responses`, { method: 'POST', json });
    // Every use is claimed, but some of the takes have not landed, so a use may become free.
    if (answer.status === 409 && waitsForUse) throw new Again(answer.what);
    if (answer.status !== 201) throw refusal(answer);
  }

  /** Sends the next request. Returns true when the client is done. */
  async #step(): Promise<boolean> {
    const { declares, piece, recorded } = this.#manner;
    const size = recorded();
    const sent = size === this.#bytes.length && declares(this.#offset ?? 0);
    const known = { offset: this.#offset, length: this.#length, size };
    switch (nextRequest({ uploadUrl: this.#upload, sent }, known)) {
      case 'create':
        return this.#create().then(() => false);
      case 'find':
        return this.#find().then(() => false);
      case 'declare':
        return this.#patch(Buffer.alloc(0), { 'upload-length': String(this.#bytes.length) });
      case 'send':
        return this.#patch(this.#bytes.subarray(this.#offset, Math.min(size, this.#offset! + piece())));
      case 'rest':
        return delay(TIMESLICE_MS, false, { signal: this.#patience });
      case 'look':
        if (await this.#arrived()) return true;
        this.#offset = undefined;
        return delay(LOOK_MS, false, { signal: this.#patience });
      case 'short':
        throw new Error(`the server has ${this.#length} bytes of a take of ${size}`);
    }
  }

  async #create(): Promise<void> {
    const { responseSessionId, questionIndex, take } = this.#entry;
    const { deferLength } = this.#manner;
    const total = this.#bytes.length;
    const headers: Record<string, string> = {
      ...TUS,
      ...(deferLength ? { 'upload-defer-length': '1' } : { 'upload-length': String(total) }),
      'upload-metadata': tusMetadata({ responseSessionId, filetype: take.mimeType, questionIndex }),
    };
    const answer = await this.#once(`${this.#link}/uploads`, { method: 'POST', headers });
    // The earlier upload is landing. The contributor's response will soon show the clip.
    const isLanding = answer.status === 409 && answer.headers['error-code'] === 'upload_busy';
    if (answer.status === 410 || isLanding) throw new UploadGone(answer.what);
    if (answer.status !== 201) throw refusal(answer);
    this.#upload = answer.headers.location!;
    this.#acknowledged = this.#offset = 0;
    this.#length = deferLength ? undefined : total;
  }

  async #find(): Promise<void> {
    const answer = await this.#once(this.#upload!, { method: 'HEAD', headers: TUS });
    if (answer.status !== 200) throw new UploadGone(answer.what);
    const { 'upload-offset': offset, 'upload-length': length } = answer.headers;
    this.#offset = Number(offset);
    this.#length = length === undefined ? undefined : Number(length);
    if (this.#offset < this.#acknowledged)
      this.#violations.push(
        `an upload was at byte ${offset} after byte ${this.#acknowledged} was acknowledged (response ${this.#entry.responseSessionId})`,
      );
  }

  /** Returns true if the service's answer contains the id of the submission. */
  async #patch(body: Buffer, declared: Record<string, string> = {}): Promise<boolean> {
    const headers = { ...BYTES, 'upload-offset': String(this.#offset), ...declared };
    const { bytesPerSecond } = this.#manner;
    const began = performance.now();
    const pace = bytesPerSecond ? { bytesPerSecond } : {};
    const answer = await this.#once(this.#upload!, { method: 'PATCH', headers, body, ...pace });
    if (answer.status === 409) throw new Again(answer.what);
    if (answer.status === 404 || answer.status === 410) throw new UploadGone(answer.what);
    if (answer.status >= 300) throw refusal(answer);
    this.#manner.accepted(body.length, performance.now() - began);
    const reached = Number(answer.headers['upload-offset'] ?? this.#offset! + body.length);
    this.#acknowledged = this.#offset = reached;
    if (declared['upload-length'] !== undefined) this.#length = this.#bytes.length;
    if (answer.status === 204) return false;
    this.#confirm(answer.json().submissionId);
    return this.#entry.submissionId !== undefined;
  }

  /** Returns true if the contributor's response shows the state of the take for which the client waits. */
  async #arrived(): Promise<boolean> {
    const answer = await this.#once(`${this.#link}/responses/${this.#entry.responseSessionId}`, {});
    if (answer.status !== 200) throw refusal(answer);
    const answers: Answered[] = answer.json().answers;
    const mine = answers.find(({ questionIndex }) => (questionIndex ?? 0) === this.#entry.questionIndex);
    const { submissionId, uploads = [] } = mine ?? {};
    const refused = uploads.find(({ state }) => state === 'refused');
    if (refused && !submissionId) throw new Refused(`refused: ${refused.error}`);
    const hasAll = uploads.some(({ state }) => state === 'finishing' || state === 'landed');
    if (submissionId || hasAll) this.#confirm(submissionId);
    return Boolean(submissionId) || (hasAll && !this.#manner.untilLanded);
  }

  #confirm(submissionId: string | null | undefined): void {
    Object.assign(this.#entry, { outcome: 'ok', why: '' });
    this.#entry.submissionId = submissionId ?? this.#entry.submissionId;
  }
}

/** One answer of a response, as the contributor's page reads it. */
interface Answered {
  questionIndex: number | null;
  submissionId: string | null;
  uploads: { state: string; error: string | null }[];
}
