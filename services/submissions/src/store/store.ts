import { requireSchema } from '@recording-request/kit-mongo/migrations';
import type { Connection } from 'mongoose';
import { type ArchiveStore, createArchiveStore } from './archives.ts';
import { type BackupHold, createBackupHold } from './backup-hold.ts';
import { createDeadLetterStore, type DeadLetterStore } from './dead-letters.ts';
import { createErasureStore, type ErasureStore } from './erasures.ts';
import { createExportRows, type ExportRows } from './export-rows.ts';
import { createFigureStore, type FigureStore } from './figures.ts';
import { createJobStore, type JobStore } from './jobs.ts';
import { openModels } from './models.ts';
import { createNoteStore, type NoteStore } from './notes.ts';
import { schema } from './schema-steps.ts';
import { createStoredObjects, type StoredObjects } from './stored-objects.ts';
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
  storedObjects: StoredObjects;
  backupHold: BackupHold;
  figures: FigureStore;
}

/** Opens the collections. Rejects with a StartError when the database lacks a migration of this version. */
export async function openStores(connection: Connection): Promise<Stores> {
  await requireSchema(connection, schema.steps);
  const models = openModels(connection);
  return {
    uploads: createUploadStore(models),
    notes: createNoteStore(models),
    submissions: createSubmissionStore(models),
    jobs: createJobStore(models),
    exportRows: createExportRows(models),
    archives: createArchiveStore(models),
    erasures: createErasureStore(models),
    deadLetters: createDeadLetterStore(models),
    storedObjects: createStoredObjects(models),
    backupHold: createBackupHold(models),
    figures: createFigureStore(models),
  };
}
