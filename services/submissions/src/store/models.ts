import { UNKNOWN_EVENT } from '@recording-request/events/event';
import { outboxField, outboxIndex } from '@recording-request/events/outbox';
import { indexesOf } from '@recording-request/kit-mongo/indexes';
import { type Connection, Schema } from 'mongoose';
import { DEAD_LETTER_SECONDS } from '../domain/unknown-event.ts';

const stored = { _id: false, key: String, size: Number, mimeType: String, sha256: String, crc32: Number };
const part = { _id: false, key: String, offset: Number, size: Number };
// W3C trace context.
const trace = { type: { _id: false, traceparent: String, tracestate: String }, default: undefined };
const options = { versionKey: false as const, minimize: false, id: false };

/**
 * The names of partial indexes. A query names its index if the planner would sometimes choose another index and sort.
 */
export const UPLOAD_INDEX = {
  complete: 'complete_uploads',
  failed: 'failed_uploads',
  failing: 'failing_uploads',
} as const;

/**
 * The indexes that cover the queries for metrics. A query can use such an index only if its filter contains the index's
 * last field.
 */
export const FIGURES_INDEX = { clips: 'clip_states', jobs: 'jobs_since', landings: 'landings_since' } as const;

/** The index of a response's uploads by state, newest first. */
export const RESPONSE_INDEX = { linkId: 1, responseId: 1, state: 1, _id: -1 } as const;

const OF_PROJECT = { projectId: 1, ownerId: 1 } as const;
/** The indexes of lists, newest first, by filter. */
export const PAGE_INDEX = {
  none: { ...OF_PROJECT, _id: -1 },
  selected: { ...OF_PROJECT, selected: 1, _id: -1 },
  transcriptStatus: { ...OF_PROJECT, transcriptStatus: 1, selected: 1, _id: -1 },
  mediaStatus: { ...OF_PROJECT, mediaStatus: 1, _id: -1 },
  linkId: { ...OF_PROJECT, linkId: 1, _id: -1 },
  responseId: { ...OF_PROJECT, responseId: 1, _id: -1 },
} as const;
/** The index of unknown events among the dead letters, the longest unchecked first. */
export const UNKNOWN_INDEX = 'unknown_events';
/** The index of jobs by owner, oldest first. */
export const JOBS_INDEX = 'jobs';
export const TERMS_INDEX = 'accepted_terms';
export const WITH_TERMS = { 'terms.sha256': { $gt: '' } };
export const CHANGES_INDEX = { ...OF_PROJECT, changedAt: -1 } as const;

const uploadSchema = new Schema(
  {
    _id: String,
    state: { type: String, required: true },
    linkId: { type: String, required: true },
    projectId: { type: String, required: true },
    ownerId: { type: String, required: true },
    responseId: { type: String, required: true },
    questionIndex: { type: Number, required: true },
    note: String,
    answerMode: String,
    signed: Boolean,
    transcription: Boolean,
    transcriptionLanguage: String,
    length: Number,
    offset: { type: Number, required: true },
    parts: [part],
    // The ids of the pages that contain the earlier parts, in order: see upload-parts.ts.
    pages: { type: [String], default: undefined },
    // True if the upload may have pages.
    isPaged: Boolean,
    // The number of this upload's slot. A response can have as many open uploads as it has slots.
    slot: Number,
    createdAt: Date,
    lastByteAt: Date,
    renewedAt: Date,
    // When the last byte arrived; removed when a process starts the landing.
    completeAt: Date,
    submissionId: String,
    finishingAt: Date,
    // The trace of the request that sent the last byte, if there was one.
    trace,
    sha256: String,
    crc32: Number,
    // True if the upload's first bytes cannot begin a video.
    isNoVideo: Boolean,
    // The media type that the upload's first bytes show.
    mimeType: String,
    incomplete: Boolean,
    error: String,
    refusal: String,
    superseded: Boolean,
    // True if the upload was erased. The sweeper must still purge its prefix in the object store.
    emptied: Boolean,
    // The lease of the current writer, and whether another request waits for it.
    writer: { type: { _id: false, id: String, until: Date, wanted: Boolean }, default: undefined },
    failures: Number,
    // The number of failed landings without an outage.
    faults: Number,
    // The last problem, for the operator.
    problem: String,
    nextTryAt: Date,
    // When the parts in the store can be removed, because the upload has landed and its clip does not use them.
    partsDueAt: Date,
    // The lease of the process that lands the upload.
    worker: { type: { _id: false, id: String, until: Date }, default: undefined },
  },
  { ...options, collection: 'uploads' },
);
uploadSchema.index(RESPONSE_INDEX);
uploadSchema.index({ state: 1, lastByteAt: 1 });
uploadSchema.index({ projectId: 1, emptied: 1 });
// This unique index prevents a response from opening more uploads than there are slots. It contains only open uploads.
uploadSchema.index(
  { projectId: 1, linkId: 1, responseId: 1, slot: 1 },
  { unique: true, partialFilterExpression: { state: 'uploading', slot: { $gte: 0 } }, name: 'slots' },
);
// Small indexes of due and troubled uploads; they contain no upload without problems.
uploadSchema.index({ nextTryAt: 1 }, { partialFilterExpression: { state: 'finishing' } });
uploadSchema.index(
  { completeAt: 1 },
  { partialFilterExpression: { state: 'uploading', completeAt: { $exists: true } }, name: UPLOAD_INDEX.complete },
);
uploadSchema.index(
  { lastByteAt: 1, _id: 1 },
  { partialFilterExpression: { refusal: 'failed' }, name: UPLOAD_INDEX.failed },
);
uploadSchema.index(
  { lastByteAt: 1, _id: 1 },
  { partialFilterExpression: { state: 'finishing', failures: { $gt: 0 } }, name: UPLOAD_INDEX.failing },
);

uploadSchema.index({ partsDueAt: 1 }, { sparse: true });
uploadSchema.index(
  { finishingAt: 1 },
  { partialFilterExpression: { state: 'finishing' }, name: FIGURES_INDEX.landings },
);

// The earlier parts of an upload with many parts; see upload-parts.ts.
const partPageSchema = new Schema(
  { _id: String, uploadId: { type: String, required: true }, parts: [part] },
  { ...options, collection: 'upload_parts' },
);
partPageSchema.index({ uploadId: 1 });

// A contributor's note that arrived before its upload. When the upload is created, the note is copied into it.
const noteSchema = new Schema(
  { _id: String, projectId: String, note: String, at: Date },
  { ...options, collection: 'notes' },
);
noteSchema.index({ projectId: 1 });
noteSchema.index({ at: 1 }, { expireAfterSeconds: 30 * 24 * 60 * 60 });

const submissionSchema = new Schema(
  {
    _id: String,
    projectId: { type: String, required: true },
    ownerId: { type: String, required: true },
    linkId: { type: String, required: true },
    // Fields copied from the response (domain/clips/submission.ts lists them).
    link: { type: Schema.Types.Mixed, default: undefined },
    responseId: { type: String, required: true },
    interview: Boolean,
    questionIndex: { type: Number, required: true },
    questionText: String,
    createdAt: Date,
    changedAt: Date,
    durationSec: Number,
    note: String,
    reviewNote: String,
    selected: Boolean,
    rating: Number,
    timedNotes: {
      type: [{ _id: false, id: String, atSec: Number, text: String, createdAt: Date }],
      default: undefined,
    },
    transcriptStatus: { type: String, required: true },
    transcriptText: String,
    transcriptVtt: String,
    transcriptError: String,
    transcriptRequest: Number,
    transcriptionLanguage: String,
    language: String,
    terms: { type: { _id: false, sha256: String, text: String, acceptedAt: Date }, default: undefined },
    mediaStatus: { type: String, required: true },
    mediaError: String,
    // The job without a result (domain/clips/submission.ts lists its fields). Its type is Mixed, so that Mongoose casts
    // nothing in it.
    job: { type: Schema.Types.Mixed, default: undefined },
    // Lists do not load the parts, because a clip has up to 500.
    source: {
      type: {
        ...stored,
        uploadId: String,
        parts: { type: [{ _id: false, key: String, size: Number }], default: undefined },
      },
      default: undefined,
    },
    video: { type: stored, default: undefined },
    audio: { type: stored, default: undefined },
    thumbnails: [stored],
    incomplete: Boolean,
    sandbox: Boolean,
    answerMode: String,
    signed: Boolean,
    sha256: String,
    // The trace in which the clip landed; the tombstone has it too.
    trace,
    revision: { type: Number, required: true },
    // The upload is kept in addition to the video at least until this time: see archives.ts.
    sourceHeldUntil: Date,
    // The position in the video that an export could not read.
    unreadable: { type: { _id: false, key: String, offset: Number }, default: undefined },
    outbox: outboxField,
    // Only tombstones have these fields: see erasures.ts.
    erasedAt: Date,
    purgeAt: Date,
    left: { type: { _id: false, linkId: String, responseId: String, questionIndex: Number }, default: undefined },
  },
  { ...options, collection: 'submissions' },
);
// One index for each filter of the lists. The counts also read only these indexes.
for (const keys of Object.values(PAGE_INDEX)) submissionSchema.index(keys);
// Two queries use this index: the clips that changed last, and the time of the last change.
submissionSchema.index(CHANGES_INDEX);
submissionSchema.index(
  { projectId: 1, ownerId: 1, selected: 1, 'video.size': 1, 'source.size': 1 },
  { name: 'video_sizes' },
);
submissionSchema.index({ projectId: 1, linkId: 1, responseId: 1, questionIndex: 1 }, { unique: true });
submissionSchema.index(
  { 'job.kind': 1, 'job.state': 1, ownerId: 1, 'job.dueAt': 1 },
  { partialFilterExpression: { 'job.kind': { $exists: true } }, name: JOBS_INDEX },
);
// The metrics of clips, jobs and uploads count in these indexes. No other query has their conditions, so the planner
// never chooses them in place of another index.
submissionSchema.index(
  { 'job.kind': 1, 'job.since': 1, 'job.givenBack': 1 },
  {
    partialFilterExpression: { 'job.kind': { $exists: true }, 'job.givenBack': { $gte: 0 } },
    name: FIGURES_INDEX.jobs,
  },
);
submissionSchema.index(
  { mediaStatus: 1, transcriptStatus: 1, questionIndex: 1 },
  {
    partialFilterExpression: { mediaStatus: { $exists: true }, questionIndex: { $gte: 0 } },
    name: FIGURES_INDEX.clips,
  },
);
submissionSchema.index(...outboxIndex);
// Finds submissions older than the retention time, and tombstones whose purge is due.
submissionSchema.index({ createdAt: 1 }, { sparse: true });
submissionSchema.index({ purgeAt: 1 }, { sparse: true });
submissionSchema.index({ sourceHeldUntil: 1 }, { sparse: true });
// Finds the accepted texts of terms of a project: a query reads one index entry per text.
submissionSchema.index(
  { projectId: 1, ownerId: 1, 'terms.sha256': 1, _id: 1 },
  { partialFilterExpression: WITH_TERMS, name: TERMS_INDEX },
);
// Shows whether clips of a project were erased since an archive was planned.
submissionSchema.index(
  { projectId: 1, erasedAt: 1 },
  { partialFilterExpression: { erasedAt: { $exists: true } }, name: 'erased' },
);

// Plans of project.zip, with which interrupted downloads resume.
const archiveSchema = new Schema(
  {
    _id: String,
    ownerId: { type: String, required: true },
    projectId: { type: String, required: true },
    // The clips that the archive shows, and the fingerprint of the content: see workflows/exports/open-archive.ts.
    selection: { type: String, required: true },
    fingerprint: { type: String, required: true },
    frame: String,
    changedAt: Date,
    cipherKey: String,
    etag: String,
    size: Number,
    texts: { type: [{ _id: false, name: String, date: Date, size: Number, crc32: Number }], default: undefined },
    directoryAt: Number,
    erasedSince: Date,
    erasedCount: Number,
    // True if the archive shows an upload whose media is not made yet.
    hasSources: Boolean,
    begunAt: Date,
    readyAt: Date,
    expiresAt: Date,
    endedAt: Date,
  },
  { ...options, collection: 'archives' },
);
archiveSchema.index({ projectId: 1, ownerId: 1, selection: 1, begunAt: -1 });
archiveSchema.index({ expiresAt: 1 });

const archivePageSchema = new Schema(
  {
    _id: String,
    archiveId: { type: String, required: true },
    offset: { type: Number, required: true },
    number: Number,
    videos: [
      {
        _id: false,
        ...{ submissionId: String, createdAt: Date, key: String, size: Number, crc32: Number, extension: String },
        name: { type: { _id: false, offset: Number, length: Number }, default: undefined },
      },
    ],
  },
  { ...options, collection: 'archive_pages' },
);
archivePageSchema.index({ archiveId: 1, offset: 1 });

const erasureSchema = new Schema(
  {
    ...{ _id: String, at: Date, purgeAt: Date },
    // The following fields are present only in an erasure that the owner began.
    ...{ ownerId: String, announcedAt: Date, doneAt: Date, recordsEndAt: Date },
    ...{ removed: Schema.Types.Mixed, removedOfProject: Schema.Types.Mixed },
    // Present only in the erasure of a link, whose id is `_id`.
    ...{ projectId: String, submissionIds: { type: [String], default: undefined } },
  },
  { ...options, collection: 'erasures' },
);
erasureSchema.index({ purgeAt: 1 });

// Kafka records that a consumer could not handle. A replayed or dropped record has no content; its row stays, so that
// the consumer does not add the record again.
const deadLetterSchema = new Schema(
  {
    _id: String,
    topic: String,
    partition: Number,
    offset: String,
    group: String,
    reason: String,
    at: Date,
    eventType: String,
    projectId: String,
    submissionId: String,
    valueBytes: Number,
    key: Buffer,
    value: Buffer,
    replayedAt: Date,
    droppedAt: Date,
    // For an unknown event: the time of the next check; absent before the first check.
    retryAt: Date,
  },
  { ...options, collection: 'deadLetters' },
);
// Lists the dead letters that were neither replayed nor dropped.
deadLetterSchema.index({ replayedAt: 1, droppedAt: 1, at: -1, _id: -1 });
deadLetterSchema.index(
  { retryAt: 1, _id: 1 },
  { partialFilterExpression: { reason: UNKNOWN_EVENT }, name: UNKNOWN_INDEX },
);
deadLetterSchema.index({ submissionId: 1 });
deadLetterSchema.index({ projectId: 1 });
deadLetterSchema.index({ at: 1 }, { expireAfterSeconds: DEAD_LETTER_SECONDS });

export interface Models {
  uploads: ReturnType<typeof uploadModel>;
  partPages: ReturnType<typeof partPageModel>;
  submissions: ReturnType<typeof submissionModel>;
  notes: ReturnType<typeof noteModel>;
  archives: ReturnType<typeof archiveModel>;
  archivePages: ReturnType<typeof archivePageModel>;
  erasures: ReturnType<typeof erasureModel>;
  deadLetters: ReturnType<typeof deadLetterModel>;
}

const uploadModel = (connection: Connection) => connection.model('Upload', uploadSchema);
const partPageModel = (connection: Connection) => connection.model('PartPage', partPageSchema);
const noteModel = (connection: Connection) => connection.model('Note', noteSchema);
const archiveModel = (connection: Connection) => connection.model('Archive', archiveSchema);
const archivePageModel = (connection: Connection) => connection.model('ArchivePage', archivePageSchema);
const erasureModel = (connection: Connection) => connection.model('Erasure', erasureSchema);
const deadLetterModel = (connection: Connection) => connection.model('DeadLetter', deadLetterSchema);
const submissionModel = (connection: Connection) => connection.model('Submission', submissionSchema);

/** All collections with their indexes. A migration builds the indexes. */
export const collections = [
  uploadSchema,
  partPageSchema,
  submissionSchema,
  noteSchema,
  archiveSchema,
  archivePageSchema,
  erasureSchema,
  deadLetterSchema,
]
  .map(schema => indexesOf(schema.get('collection')!, schema))
  // See backup-hold.ts.
  .concat({ collection: 'keptUploads', indexes: [] });

export function openModels(connection: Connection): Models {
  return {
    uploads: uploadModel(connection),
    partPages: partPageModel(connection),
    submissions: submissionModel(connection),
    notes: noteModel(connection),
    archives: archiveModel(connection),
    archivePages: archivePageModel(connection),
    erasures: erasureModel(connection),
    deadLetters: deadLetterModel(connection),
  };
}
