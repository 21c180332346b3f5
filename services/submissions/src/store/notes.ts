import type { Upload } from '../domain/uploads/upload.ts';
import { type Models, RESPONSE_INDEX } from './models.ts';
import { uploadAt } from './upload-row.ts';

/**
 * The key of the note of one answer. Without an index, it is the key of the note for all answers without a separate
 * note.
 */
export interface NoteKey {
  projectId: string;
  linkId: string;
  responseId: string;
  questionIndex: number | undefined;
}

/** Contributors' notes that arrived before their clip. */
export interface NoteStore {
  /** Sets the note for open and later uploads. Returns false when the clip was already sent. */
  set(key: NoteKey, note: string): Promise<boolean>;
  /**
   * Copies an earlier note into a new upload, unless the upload has a note. Also returns whether the project or the
   * link is erased: one query reads both.
   */
  passOn(upload: Pick<Upload, 'id' | 'projectId' | 'linkId' | 'responseId' | 'questionIndex'>): Promise<boolean>;
}

export const noteId = (linkId: string, responseId: string, questionIndex: number | undefined): string =>
  `${linkId}/${responseId}/${questionIndex ?? 'all'}`;

/** Returns the filter of all notes of a link. The zero sorts directly after the slash. */
export const notesOfLink = ({ projectId, linkId }: { projectId: string; linkId: string }) => ({
  _id: { $gte: `${linkId}/`, $lt: `${linkId}0` },
  projectId,
});

export function createNoteStore({ uploads, notes, erasures }: Models): NoteStore {
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
      const erasure = [{ $match: { _id: { $in: [projectId, linkId] } } }, { $project: { _id: 1 } }];
      const rows = await notes.aggregate<{ _id: string; note?: string }>([
        { $match: { _id: { $in: ids } } },
        { $unionWith: { coll: erasures.collection.name, pipeline: erasure } },
      ]);
      const note = (rows.find(row => row._id === ids[0]) ?? rows.find(row => row._id === ids[1]))?.note;
      // A later note changes the upload directly, and this write does not overwrite it.
      if (note)
        await uploads.updateOne({ ...uploadAt({ id, projectId }), state: 'uploading', note: '' }, { $set: { note } });
      return rows.some(({ _id }) => _id === projectId || _id === linkId);
    },
  };
}
