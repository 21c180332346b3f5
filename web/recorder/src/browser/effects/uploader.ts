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
  /** There is more to do: bytes were added, or the take was sent. */
  wake(): void;
  stop(): void;
}

const POLL_MS = 700;
// In some five seconds.
const READS = 4;

/**
 * Brings a take to the server while it grows, for as long as it takes: a lost connection or a server that is down only
 * delays it. Reports each change and, once, the end.
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

  /** Called where something was got on with: finding the server alone is not enough. */
  const wentWell = () => {
    tries = 0;
    if (!progress.trouble) return;
    progress.trouble = null;
    report();
  };

  /** One request; true where there is nothing to do until something is added. */
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
    // A full device may have had no room for the word that it was sent, nor for how large it is.
    if (found.length !== undefined && !record.sent) await take.update({ sent: true, recorded: found.length });
    reached(found.offset);
    return false;
  }

  async function create(): Promise<boolean> {
    const uploadUrl = await createUpload({
      responseSessionId: record.responseSessionId,
      ...(record.questionIndex === null ? {} : { questionIndex: String(record.questionIndex) }),
      // Until it is sent the contributor may still change it.
      ...(record.sent && record.note ? { note: record.note } : {}),
    });
    await take.update({ uploadUrl });
    wentWell();
    lengthIs(undefined);
    reached(0);
    return false;
  }

  // The length first, without bytes: what the contributor has sent counts as sent from then on, whatever happens next.
  async function declare(url: string, at: number): Promise<boolean | End> {
    if (record.note) await noteFirst();
    // More than there is, where the device had no room for the end: what arrives then counts as incomplete.
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
      // 410: it has landed, with the note that it had. A note is not worth a take.
      if (isTransient(error)) throw error;
    }
  }

  async function send(url: string, at: number): Promise<boolean | End> {
    // Before the request: one whose bytes cannot be read fails as if the network were gone.
    const bytes = await take.read(at, at + piece).catch(error => {
      unread += 1;
      // What was recorded does not go away: it is read until it can be.
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

  /** Asks what became of the upload; undefined where that is not decided. */
  async function outcome(): Promise<End | undefined> {
    const { answers } = await getResponse(record.responseSessionId);
    return endOf(record, answers);
  }

  /** The same, and waits a little where it is not decided. */
  async function look(): Promise<boolean | End> {
    const end = await outcome();
    if (end) return end;
    await wait(POLL_MS);
    // Looking at the upload itself makes a landing go on whose request was lost.
    offset = undefined;
    return false;
  }

  /** The end that a failed request means; undefined: try again. */
  async function endAfter(error: unknown): Promise<End | undefined> {
    if (isTransient(error) || !(error instanceof Refusal)) return undefined;
    const meaning = meaningOf(error.status, record.uploadUrl, tries);
    if (typeof meaning !== 'string') return meaning;
    const end = await look();
    if (typeof end === 'object') return end;
    if (meaning !== 'deleted') return { kind: meaning, code: null };
    // What is here still is sent again.
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
        // Bytes may have come while the request ran.
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
        // One lost request is nothing to worry anybody with.
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
