import type { Upload } from '../domain/uploads/upload.ts';
import { type Models, RESPONSE_INDEX } from './models.ts';
import { uploadAt } from './upload-row.ts';

/** Of one answer, or where the index is undefined of all that have no note of their own. */
export interface NoteKey {
  projectId: string;
  linkId: string;
  responseId: string;
  questionIndex: number | undefined;
}

/** Contributors' notes that came before their clip. */
export interface NoteStore {
  /** Sets the note for the uploads that are under way and those to come. False when the clip was sent already. */
  set(key: NoteKey, note: string): Promise<boolean>;
  /** Gives an upload that was just stored the note that was set before, unless it has one. */
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
      // One that is set from now on finds the upload, and stays.
      await uploads.updateOne({ ...uploadAt({ id, projectId }), state: 'uploading', note: '' }, { $set: { note } });
    },
  };
}
