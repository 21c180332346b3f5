import type { Upload } from '../domain/uploads/upload.ts';
import { type Models, RESPONSE_INDEX } from './models.ts';
import { uploadAt } from './upload-row.ts';

/** The key of the note of one answer. Without an index it stands for all answers without their own note. */
export interface NoteKey {
  projectId: string;
  linkId: string;
  responseId: string;
  questionIndex: number | undefined;
}

/** Contributors' notes that arrived before their clip. */
export interface NoteStore {
  /** Sets the note for open and later uploads. Returns false when the clip was sent already. */
  set(key: NoteKey, note: string): Promise<boolean>;
  /** Copies an earlier note into a new upload, unless the upload has its own. */
  passOn(upload: Pick<Upload, 'id' | 'projectId' | 'linkId' | 'responseId' | 'questionIndex'>): Promise<void>;
}

export const noteId = (linkId: string, responseId: string, questionIndex: number | undefined): string =>
  `${linkId}/${responseId}/${questionIndex ?? 'all'}`;

export function createNoteStore({ uploads, notes }: Models): NoteStore {
  return {
    async set({ projectId, linkId, responseId, questionIndex }, note) {
      const question = questionIndex === undefined ? {} : { questionIndex };
      const now = await uploads
        .find(
          { projectId, linkId, responseId, ...question, state: { $in: ['uploading', 'finishing', 'landed'] } },
          { state: 1 },
        )
        .hint(RESPONSE_INDEX)
        .lean();
      if (now.length > 0 && !now.some(upload => upload.state === 'uploading')) return false;
      await notes.updateOne(
        { _id: noteId(linkId, responseId, questionIndex) },
        { $set: { projectId, note }, $currentDate: { at: true } },
        { upsert: true },
      );
      await uploads.updateMany(
        { projectId, linkId, responseId, state: 'uploading', ...question },
        { $set: { note } },
        { hint: RESPONSE_INDEX },
      );
      return true;
    },
    async passOn({ id, projectId, linkId, responseId, questionIndex }) {
      const ids = [noteId(linkId, responseId, questionIndex), noteId(linkId, responseId, undefined)];
      const rows = await notes.find({ _id: { $in: ids } }).lean();
      const note = (rows.find(row => row._id === ids[0]) ?? rows[0])?.note;
      if (!note) return;
      // A later note updates the upload directly and is not overwritten here.
      await uploads.updateOne({ ...uploadAt({ id, projectId }), state: 'uploading', note: '' }, { $set: { note } });
    },
  };
}
