import { Refusal } from '@recording-request/web-shared/browser/requests';
import type { End } from '../state/events.ts';
import type { Progress } from '../state/state.ts';
import { getResponse, isTransient, setNote } from './api.ts';
import type { StoredTake } from './take.ts';
import { createUpload, headUpload, patchUpload } from './tus.ts';
import {
  endOf,
  FIRST_PIECE,
  meaningOf,
  nextPiece,
  nextRequest,
  paceAfter,
  retryDelayMs,
  smallerPiece,
} from './upload-plan.ts';

export interface Uploader {
  /** Makes the upload continue after bytes were added or the take was sent. */
  wake(): void;
  stop(): void;
}

const POLL_MS = 700;
// About five seconds of failed reads.
const READS = 4;

/**
 * Uploads a growing take and continues until it ends: a lost connection or a server that is down only delays the
 * upload. Reports each change and, once, the end.
 */
export function startUploader(
  take: StoredTake,
  changed: (progress: Progress) => void,
  ended: (end: End) => void,
): Uploader {
  const { record } = take;
  const progress: Progress = { safe: 0, declared: false, finishing: false, trouble: null };
  let offset: number | undefined;
  let length: number | undefined;
  let piece = FIRST_PIECE;
  let stopped = false;
  let wakeUp: (() => void) | undefined;
  let idle = false;
  let tries = 0;
  let unread = 0;

  const report = () => !stopped && changed(progress);
  const reached = (bytes: number) => {
    offset = bytes;
    progress.safe = bytes;
    report();
  };

  const lengthIs = (bytes: number | undefined) => {
    length = bytes;
    progress.declared = bytes !== undefined;
  };

  /** Call this only after real progress. A response from the server alone is not enough. */
  const wentWell = () => {
    tries = 0;
    if (!progress.trouble) return;
    progress.trouble = null;
    report();
  };

  /** Makes one request. Resolves to true when the uploader must wait for more bytes or for Send. */
  async function step(): Promise<boolean | End> {
    const url = record.uploadUrl ?? '';
    const at = offset ?? 0;
    switch (nextRequest(record, { offset, length, size: take.size })) {
      case 'create':
        return create();
      case 'find':
        return find(url);
      case 'declare':
        return declare(url, at);
      case 'send':
        return send(url, at);
      case 'rest':
        return true;
      case 'look':
        progress.finishing = true;
        report();
        return look();
      case 'short':
        return (await outcome()) ?? { kind: 'short' };
    }
  }

  async function find(url: string): Promise<boolean> {
    const found = await headUpload(url);
    lengthIs(found.length);
    // A full device may have stored neither Send nor the size of the take.
    if (found.length !== undefined && !record.sent) await take.update({ sent: true, recorded: found.length });
    reached(found.offset);
    return false;
  }

  async function create(): Promise<boolean> {
    const uploadUrl = await createUpload({
      responseSessionId: record.responseSessionId,
      ...(record.questionIndex === null ? {} : { questionIndex: String(record.questionIndex) }),
      ...(record.answerMode && { answerMode: record.answerMode }),
      ...(record.signed && { signed: 'true' }),
      // The contributor may still change the note before Send.
      ...(record.sent && record.note ? { note: record.note } : {}),
    });
    await take.update({ uploadUrl });
    wentWell();
    lengthIs(undefined);
    reached(0);
    return false;
  }

  // Declares the length before the remaining bytes, in a request without bytes. From then on the take counts as sent.
  async function declare(url: string, at: number): Promise<boolean | End> {
    if (record.note) await noteFirst();
    // If the device had no room for the end, the whole size exceeds the stored size. Then the upload counts as
    // incomplete.
    const whole = Math.max(take.size, at, record.recorded);
    const { landed } = await patchUpload(url, at, new Blob([]), whole);
    wentWell();
    lengthIs(whole);
    report();
    return landed ? { kind: 'landed' } : false;
  }

  async function noteFirst(): Promise<void> {
    try {
      await setNote(record.responseSessionId, record.note);
    } catch (error) {
      // 410 means that the take has landed with its earlier note. An error about a note must not lose a take.
      if (isTransient(error)) throw error;
    }
  }

  async function send(url: string, at: number): Promise<boolean | End> {
    // Reads the bytes before the request, because a request with unreadable bytes would fail like a network error.
    const bytes = await take.read(at, at + piece).catch(error => {
      unread += 1;
      // A recording is not lost when a read fails: the uploader retries the read.
      if (unread < READS || !record.byFile) throw error;
      return undefined;
    });
    if (!bytes?.size) return { kind: 'unreadable' };
    unread = 0;
    const began = performance.now();
    const answer = await patchUpload(url, at, bytes);
    const tookMs = performance.now() - began;
    piece = nextPiece(piece, tookMs, bytes.size === piece);
    progress.pace = paceAfter(progress.pace, answer.offset - at, tookMs);
    wentWell();
    reached(answer.offset);
    return answer.landed ? { kind: 'landed' } : false;
  }

  /** Returns the end of the upload; undefined while the end is undecided. */
  async function outcome(): Promise<End | undefined> {
    const { answers } = await getResponse(record.responseSessionId);
    return endOf(record, answers);
  }

  /** Returns the end of the upload. While the end is undecided, waits for a moment. */
  async function look(): Promise<boolean | End> {
    const end = await outcome();
    if (end) return end;
    await wait(POLL_MS);
    // A HEAD of the upload resumes a landing whose request was lost.
    offset = undefined;
    return false;
  }

  /** Returns the end after a failed request; undefined means a retry. */
  async function endAfter(error: unknown): Promise<End | undefined> {
    if (isTransient(error) || !(error instanceof Refusal)) return undefined;
    const meaning = meaningOf(error.status, record.uploadUrl, tries);
    if (typeof meaning !== 'string') return meaning;
    const end = await look();
    if (typeof end === 'object') return end;
    if (meaning !== 'deleted') return { kind: meaning, code: null };
    // Makes the uploader send the take again from this device.
    await take.update({ uploadUrl: null });
    return undefined;
  }

  function wait(ms?: number): Promise<void> {
    return new Promise(resolve => {
      const timer = ms === undefined ? undefined : window.setTimeout(resolve, ms);
      wakeUp = () => {
        window.clearTimeout(timer);
        resolve();
      };
    });
  }

  const online = () => wakeUp?.();

  async function run(): Promise<void> {
    addEventListener('online', online);
    while (!stopped) {
      try {
        const done = await step();
        if (typeof done === 'object') return finish(done);
        if (done || progress.finishing) wentWell();
        idle = done;
        // Bytes may have arrived during the request.
        if (done && !stopped && !(record.sent && !progress.declared) && (offset ?? 0) >= take.size) await wait();
        idle = false;
      } catch (error) {
        if (stopped) return;
        tries += 1;
        const end = await endAfter(error).catch(() => undefined);
        if (end) return finish(end);
        offset = undefined;
        piece = smallerPiece(piece);
        const busy = error instanceof Refusal && error.status === 409;
        // A single lost request gets no warning.
        progress.trouble = tries < 2 && navigator.onLine ? null : busy ? 'busy' : 'network';
        report();
        await wait(retryDelayMs(tries, Math.random(), error instanceof Refusal ? error.waitMs : 0));
      }
    }
  }

  function finish(end: End): void {
    if (stopped) return;
    uploader.stop();
    ended(end);
  }

  const uploader: Uploader = {
    wake() {
      if (idle) wakeUp?.();
    },
    stop() {
      stopped = true;
      removeEventListener('online', online);
      wakeUp?.();
    },
  };
  take.grown = uploader.wake;
  void run();
  return uploader;
}
