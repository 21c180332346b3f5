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

/** The names of those that are partial. Queries name their index where the planner sometimes takes another one and sorts. */
export const UPLOAD_INDEX = {
  complete: 'complete_uploads',
  failed: 'failed_uploads',
  failing: 'failing_uploads',
} as const;

/** Those that figures are counted from: covered, and of use only to queries that name their last field. */
export const FIGURES_INDEX = { clips: 'clip_states', jobs: 'jobs_since', landings: 'landings_since' } as const;

/** The uploads of a response by their state, in each the newest first. */
export const RESPONSE_INDEX = { linkId: 1, responseId: 1, state: 1, _id: -1 } as const;

const OF_PROJECT = { projectId: 1, ownerId: 1 } as const;
/** The indexes of lists, newest first, by the filter that each is for. */
export const PAGE_INDEX = {
  none: { ...OF_PROJECT, _id: -1 },
  selected: { ...OF_PROJECT, selected: 1, _id: -1 },
  transcriptStatus: { ...OF_PROJECT, transcriptStatus: 1, selected: 1, _id: -1 },
  mediaStatus: { ...OF_PROJECT, mediaStatus: 1, _id: -1 },
  linkId: { ...OF_PROJECT, linkId: 1, _id: -1 },
  responseId: { ...OF_PROJECT, responseId: 1, _id: -1 },
} as const;
/** Of dead letters: the events that were not known, those first that were looked at longest ago. */
export const UNKNOWN_INDEX = 'unknown_events';
/** The jobs by owner, the oldest first. */
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
    transcription: Boolean,
    transcriptionLanguage: String,
    length: Number,
    offset: { type: Number, required: true },
    parts: [part],
    // Where the parts before those are, in order: see upload-parts.ts.
    pages: { type: [String], default: undefined },
    // Whether there may be pages.
    isPaged: Boolean,
    // Which of the uploads that its response may have open this is.
    slot: Number,
    createdAt: Date,
    lastByteAt: Date,
    renewedAt: Date,
    // When its last byte came, until a process begins to make it land.
    completeAt: Date,
    submissionId: String,
    finishingAt: Date,
    // Of the request that brought the last byte, where it was traced.
    trace,
    sha256: String,
    crc32: Number,
    // Set where its first bytes are those of no video.
    isNoVideo: Boolean,
    // The media type that its first bytes show.
    mimeType: String,
    incomplete: Boolean,
    error: String,
    refusal: String,
    superseded: Boolean,
    // Erased: only its prefix in the object store is of interest, until the sweeper has purged that.
    emptied: Boolean,
    // Who writes to it now, until when, and whether another request asks for it.
    writer: { type: { _id: false, id: String, until: Date, wanted: Boolean }, default: undefined },
    // How often a landing failed, and when it is tried again.
    failures: Number,
    // How often of those not because something was away.
    faults: Number,
    // Why the last of them failed, for the operator.
    problem: String,
    nextTryAt: Date,
    // From when on the parts in the store are removed: it has landed, and its clip does not need them.
    partsDueAt: Date,
    // Who makes it land now, and until when.
    worker: { type: { _id: false, id: String, until: Date }, default: undefined },
  },
  { ...options, collection: 'uploads' },
);
uploadSchema.index(RESPONSE_INDEX);
uploadSchema.index({ state: 1, lastByteAt: 1 });
uploadSchema.index({ projectId: 1, emptied: 1 });
// The database itself keeps a response from opening more uploads than there are slots. What is not open has left it.
uploadSchema.index(
  { projectId: 1, linkId: 1, responseId: 1, slot: 1 },
  { unique: true, partialFilterExpression: { state: 'uploading', slot: { $gte: 0 } }, name: 'slots' },
);
// Small ones, of what is due and of what is in trouble: an upload is in none of them as long as all is well.
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

// Parts of an upload that has many; see upload-parts.ts.
const partPageSchema = new Schema(
  { _id: String, uploadId: { type: String, required: true }, parts: [part] },
  { ...options, collection: 'upload_parts' },
);
partPageSchema.index({ uploadId: 1 });

// A contributor's note that came before its upload; it is copied into the upload when that is created.
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
    // As it came with the response (domain/clips/submission.ts has its fields).
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
    // The work that has no result yet (domain/submission.ts has its fields); as it is, so that nothing of it is cast.
    job: { type: Schema.Types.Mixed, default: undefined },
    // Lists do not read its parts: a clip has up to 500.
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
    sha256: String,
    // The trace of its landing; also in its tombstone.
    trace,
    revision: { type: Number, required: true },
    // Until then, at least, its upload is kept beside its video: see archives.ts.
    sourceHeldUntil: Date,
    // Where an export could not read its video.
    unreadable: { type: { _id: false, key: String, offset: Number }, default: undefined },
    outbox: outboxField,
    // Only in a tombstone: see erasures.ts.
    erasedAt: Date,
    purgeAt: Date,
    left: { type: { _id: false, linkId: String, responseId: String, questionIndex: Number }, default: undefined },
  },
  { ...options, collection: 'submissions' },
);
// A page, also filtered; the counts, covered.
for (const keys of Object.values(PAGE_INDEX)) submissionSchema.index(keys);
// What changed lately, and when that was.
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
// For figures: with conditions that no other query has, so that none is given one of these in place of its own.
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
// For submissions past their age, and for tombstones to be purged (again).
submissionSchema.index({ createdAt: 1 }, { sparse: true });
submissionSchema.index({ purgeAt: 1 }, { sparse: true });
submissionSchema.index({ sourceHeldUntil: 1 }, { sparse: true });
// The texts of terms that a project's contributors accepted, each once, however many there are.
submissionSchema.index(
  { projectId: 1, ownerId: 1, 'terms.sha256': 1, _id: 1 },
  { partialFilterExpression: WITH_TERMS, name: TERMS_INDEX },
);
// Whether anything of a project was erased since an archive was planned.
submissionSchema.index(
  { projectId: 1, erasedAt: 1 },
  { partialFilterExpression: { erasedAt: { $exists: true } }, name: 'erased' },
);

// Plans of project.zip, so that a download goes on where it was cut.
const archiveSchema = new Schema(
  {
    _id: String,
    ownerId: { type: String, required: true },
    projectId: { type: String, required: true },
    // What of the project it shows, and the state of that: see workflows/open-archive.ts.
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
    // Whether it shows an upload whose media was not made yet.
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
      },
    ],
  },
  { ...options, collection: 'archive_pages' },
);
archivePageSchema.index({ archiveId: 1, offset: 1 });

// Projects that were erased.
const erasureSchema = new Schema({ _id: String, at: Date, purgeAt: Date }, { ...options, collection: 'erasures' });
erasureSchema.index({ purgeAt: 1 });

// Records of Kafka that no consumer could handle. What ended keeps no content, and stays so that it does not come back.
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
    // Of an event that was not known: when it is looked at again; absent until it was looked at.
    retryAt: Date,
  },
  { ...options, collection: 'deadLetters' },
);
// Those that have not ended.
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

/** Every collection with its indexes, which a migration builds. */
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

/** Registers every collection. */
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
