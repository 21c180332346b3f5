import type { Connection } from 'mongoose';
import { type ArchiveStore, createArchiveStore } from './archives.ts';
import { createDeadLetterStore, type DeadLetterStore } from './dead-letters.ts';
import { createErasureStore, type ErasureStore } from './erasures.ts';
import { createExportRows, type ExportRows } from './export-rows.ts';
import { createJobStore, type JobStore } from './jobs.ts';
import { openModels } from './models.ts';
import { createNoteStore, type NoteStore } from './notes.ts';
import { createSubmissionStore, type SubmissionStore } from './submissions.ts';
import { createUploadStore, type UploadStore } from './uploads.ts';

/** The collections of this service. */
export interface Stores {
  uploads: UploadStore;
  notes: NoteStore;
  submissions: SubmissionStore;
  jobs: JobStore;
  exportRows: ExportRows;
  archives: ArchiveStore;
  erasures: ErasureStore;
  deadLetters: DeadLetterStore;
}

/** Resolves when every index is there. `onJobs`: see createSubmissionStore. */
export async function openStores(connection: Connection, onJobs: () => void): Promise<Stores> {
  const models = await openModels(connection);
  return {
    uploads: createUploadStore(models),
    notes: createNoteStore(models),
    submissions: createSubmissionStore(models, onJobs),
    jobs: createJobStore(models),
    exportRows: createExportRows(models),
    archives: createArchiveStore(models),
    erasures: createErasureStore(models),
    deadLetters: createDeadLetterStore(models),
  };
}
