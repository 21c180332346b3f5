import type { Event, Run } from '../state/events.ts';
import { loadResponse } from './begin.ts';
import { newId, remembered } from './device-memory.ts';
import { recordingType } from './recording.ts';
import { openSpool, type Spool } from './spool.ts';
import { newTake, readTake, type StoredTake } from './take.ts';
import { endUpload } from './tus.ts';
import { startUploader, type Uploader } from './uploader.ts';

const FILE_PIECE = 4 * 1024 * 1024;

type TakeEffect =
  | 'findLeftTakes'
  | 'makeTake'
  | 'discardTake'
  | 'forgetTake'
  | 'storeFile'
  | 'startUpload'
  | 'keepNote'
  | 'sendTake'
  | 'loadResponse';

export interface Takes {
  get(id: string): StoredTake | undefined;
  effects: Run<TakeEffect>;
}

/** Manages the takes of this device by their ids, and the upload that runs (one at a time). */
export function createTakes(
  { input, link }: { input: HTMLInputElement; link: string },
  dispatch: (event: Event) => void,
  spool: Promise<Spool> = openSpool(),
): Takes {
  const takes = new Map<string, StoredTake>();
  let uploader: Uploader | undefined;

  async function forget(id: string): Promise<void> {
    await takes.get(id)?.forget();
    takes.delete(id);
  }

  async function discard({ id }: { id: string }): Promise<void> {
    uploader?.stop();
    const record = takes.get(id)?.record;
    // Does not withdraw a sent take, because the server may have more of an interrupted take than this device.
    if (record?.uploadUrl && !record.sent) endUpload(record.uploadUrl);
    await forget(id);
  }

  const effects: Takes['effects'] = {
    discardTake: ({ take }) => discard(take),
    forgetTake: ({ id }) => forget(id),

    async loadResponse({ id, left, forget: landed }) {
      if (landed) await forget(landed);
      const response = await loadResponse(id, () => dispatch({ is: 'serverUnreachable' }));
      dispatch({ is: 'responseLoaded', response, left });
    },

    /** Returns the takes that earlier visits left for this link. The most important take is first. */
    async findLeftTakes() {
      const stored = await spool;
      const records = await stored.takes(link).catch(() => []);
      records.sort((a, b) => Number(b.sent) - Number(a.sent) || b.startedAt - a.startedAt);
      const left: StoredTake[] = [];
      for (const record of records) {
        // Some devices cannot return a large take now. A later visit tries again.
        const take = await readTake(stored, record).catch(() => undefined);
        if (!take) continue;
        // Drops a part of a file: it is hardly ever a playable video, and never the chosen file.
        if (take.size === 0 || (record.byFile && !record.stopped)) {
          await take.forget();
          continue;
        }
        // The page was closed during the recording.
        if (!record.stopped) await take.update({ stopped: true });
        takes.set(record.id, take);
        left.push(take);
      }
      dispatch({
        is: 'leftTakes',
        takes: left.map(take => take.snapshot()),
        responseSessionId: remembered(link)?.responseSessionId,
      });
    },

    async makeTake({ before, responseSessionId, questionIndex, type, note, answerMode, signed }) {
      if (before) await discard(before);
      const take = await newTake(await spool, {
        id: newId(),
        link,
        responseSessionId,
        questionIndex,
        startedAt: Date.now(),
        type: type ?? recordingType() ?? '',
        byFile: type !== undefined,
        durationMs: 0,
        recorded: 0,
        stopped: false,
        sent: false,
        note,
        uploadUrl: null,
        heard: true,
        seen: true,
        answerMode,
        signed,
      });
      takes.set(take.record.id, take);
      dispatch({ is: 'takeMade', take: take.snapshot() });
    },

    async storeFile({ id }) {
      const take = takes.get(id);
      const [file] = input.files ?? [];
      if (!take || !file) return;
      try {
        for (let at = 0; at < file.size; at += FILE_PIECE) await take.append(file.slice(at, at + FILE_PIECE));
      } catch {
        // The file was moved or changed, or is in an unreachable cloud.
        return dispatch({ is: 'fileUnreadable', take: take.snapshot() });
      }
      await take.update({ stopped: true });
      dispatch({ is: 'fileStored', take: take.snapshot() });
    },

    startUpload({ id }) {
      const take = takes.get(id);
      if (!take) return;
      uploader?.stop();
      uploader = startUploader(
        take,
        progress => dispatch({ is: 'progress', take: take.snapshot(), progress: { ...progress } }),
        end => dispatch({ is: 'uploadEnded', take: take.snapshot(), end }),
      );
    },

    keepNote: ({ id, note }) => takes.get(id)?.update({ note }),

    async sendTake({ id, note }) {
      await takes.get(id)?.update({ sent: true, note });
      uploader?.wake();
    },
  };
  return { get: id => takes.get(id), effects };
}
