import { getResponse, isTransient, Refusal, type RefusalCode, setNote } from './api.ts';
import type { Take } from './take.ts';
import { createUpload, headUpload, patchUpload } from './tus.ts';

export interface Progress {
  /** Bytes that the server has acknowledged. */
  safe: number;
  /** The server knows that the take was sent. */
  declared: boolean;
  /** Every byte is there: the server is looking at it. */
  finishing: boolean;
  trouble: null | 'network' | 'busy';
}

/** What became of an upload. `gone`: another clip is the answer, or the link takes no more. */
export type End = { kind: 'landed' } | { kind: 'incomplete' } | { kind: 'refused' | 'gone'; code: RefusalCode | null };

export interface Uploader {
  /** There is more to do: bytes were added, or the take was sent. */
  wake(): void;
  stop(): void;
}

// What the server takes as a type; of anything else it finds out by itself what it is.
const KNOWN_TYPE = /^video\/(?:webm|mp4|x-matroska|quicktime|3gpp)\b/i;
const SMALLEST = 64 * 1024;
const LARGEST = 4 * 1024 * 1024;
const FAST_MS = 1_500;
const SLOW_MS = 6_000;
const POLL_MS = 700;
const LONGEST_WAIT_MS = 15_000;
const ODD_TRIES = 4;

/**
 * Brings a take to the server while it grows, for as long as it takes: a lost connection or a server that is down only
 * delays it. Tells each change and, once, the end.
 */
export function startUploader(take: Take, changed: (progress: Progress) => void, ended: (end: End) => void): Uploader {
  const { record } = take;
  const progress: Progress = { safe: 0, declared: false, finishing: false, trouble: null };
  let offset: number | undefined;
  let piece = 512 * 1024;
  let stopped = false;
  let wakeUp: (() => void) | undefined;
  let idle = false;
  let tries = 0;

  const tellChange = () => !stopped && changed(progress);
  const reached = (bytes: number) => {
    offset = bytes;
    progress.safe = bytes;
    tellChange();
  };

  /** Called where something was got on with: finding the server alone is not enough. */
  const wentWell = () => {
    tries = 0;
    if (!progress.trouble) return;
    progress.trouble = null;
    tellChange();
  };

  /** One request; true where there is nothing to do until something is added. */
  async function step(): Promise<boolean | End> {
    if (record.uploadUrl === null) return create();
    if (offset === undefined) {
      const found = await headUpload(record.uploadUrl);
      progress.declared = found.declared;
      reached(found.offset);
      return false;
    }
    if (record.sent && !progress.declared) return declare(record.uploadUrl, offset);
    if (offset < take.size) return send(record.uploadUrl, offset);
    if (!progress.declared) return true;
    progress.finishing = true;
    tellChange();
    return look();
  }

  async function create(): Promise<boolean> {
    const type = KNOWN_TYPE.test(record.type) ? record.type : '';
    const uploadUrl = await createUpload({
      responseSessionId: record.responseSessionId,
      ...(type ? { filetype: type } : {}),
      ...(record.questionIndex === null ? {} : { questionIndex: String(record.questionIndex) }),
      ...(record.note ? { note: record.note } : {}),
    });
    await take.update({ uploadUrl });
    wentWell();
    progress.declared = false;
    reached(0);
    return false;
  }

  // The length first, without bytes: what the contributor has sent counts as sent from then on, whatever happens next.
  async function declare(url: string, at: number): Promise<boolean | End> {
    if (record.note) await noteFirst();
    const { landed } = await patchUpload(url, at, new Blob([]), Math.max(take.size, at));
    wentWell();
    progress.declared = true;
    tellChange();
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
    const bytes = take.slice(at, at + piece);
    const began = performance.now();
    const answer = await patchUpload(url, at, bytes);
    const took = performance.now() - began;
    if (took < FAST_MS && bytes.size === piece) piece = Math.min(LARGEST, piece * 2);
    if (took > SLOW_MS) piece = Math.max(SMALLEST, piece / 2);
    wentWell();
    reached(answer.offset);
    return answer.landed ? { kind: 'landed' } : false;
  }

  /** Asks what became of the upload, and waits a little where it is not decided. */
  async function look(): Promise<boolean | End> {
    const { answers } = await getResponse(record.responseSessionId);
    const answer = answers.find(each => each.questionIndex === record.questionIndex);
    const id = record.uploadUrl?.split('/').pop();
    const mine = answer?.uploads.find(each => each.uploadId === id);
    if (mine?.state === 'landed') return mine.incomplete ? { kind: 'incomplete' } : { kind: 'landed' };
    if (answer?.submissionId) return { kind: 'gone', code: 'answered' };
    if (mine?.state === 'refused') return { kind: 'refused', code: mine.errorCode };
    await wait(POLL_MS);
    // Looking at the upload itself makes a landing go on whose request was lost.
    offset = undefined;
    return false;
  }

  /** What a refusal means; undefined: try again. */
  async function endOf(error: unknown, tries: number): Promise<End | undefined> {
    if (isTransient(error) || !(error instanceof Refusal)) return undefined;
    const { status } = error;
    if (status === 404 && record.uploadUrl !== null) {
      // It was deleted when its hold ended. All of it is here still, so it is sent anew, unless the answer has landed.
      const end = await look();
      if (typeof end === 'object') return end;
      await take.update({ uploadUrl: null });
      return undefined;
    }
    if (status === 410) return verdict('gone');
    if (status === 422) return verdict('refused');
    if (status === 413) return { kind: 'refused', code: 'too_large' };
    return tries < ODD_TRIES ? undefined : { kind: 'refused', code: null };
  }

  // The response tells why, by a code.
  async function verdict(kind: 'gone' | 'refused'): Promise<End> {
    const end = await look();
    return typeof end === 'object' ? end : { kind, code: null };
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
        const end = await endOf(error, tries).catch(() => undefined);
        if (end) return finish(end);
        offset = undefined;
        piece = Math.max(SMALLEST, piece / 2);
        const busy = error instanceof Refusal && error.status === 409;
        // One lost request is nothing to worry anybody with.
        progress.trouble = tries < 2 && navigator.onLine ? null : busy ? 'busy' : 'network';
        tellChange();
        await wait(Math.min(LONGEST_WAIT_MS, 300 * 2 ** Math.min(tries, 8)) * (0.75 + Math.random() / 2));
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
