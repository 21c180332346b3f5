import { KIT_COLLECTIONS, type Sharding, type ShardKeys } from '@recording-request/kit-mongo/shard-keys';

/**
 * The shard key of each collection. Each project is on one shard with its clips, uploads and archives, because owners
 * list, count and export by project. A project is never split between shards: even a million clips are only about 10
 * GB.
 */
const keys: ShardKeys = {
  ...KIT_COLLECTIONS,
  submissions: { projectId: 'hashed' },
  uploads: { projectId: 'hashed' },
  archives: { projectId: 'hashed' },
  // A page is read and removed through its upload or archive.
  upload_parts: { uploadId: 'hashed' },
  archive_pages: { archiveId: 'hashed' },
  // The id includes the answer.
  notes: { _id: 'hashed' },
  erasures: { _id: 'hashed' },
  // The id is the record's place in Kafka. The operator's lists and the retries query every shard.
  deadLetters: { _id: 'hashed' },
  keptUploads: { _id: 'hashed' },
};

const OPERATOR = 'a query of the operator';
const SWEEP = 'a process reads the due rows of the whole database now and then';
const FIGURES = 'one process counts figures for the operator';
const QUEUE = 'the jobs of all owners: one range of an index on each shard';
const CHECK = 'a check or a backup walks the whole database';
const ERASURE = 'removes the rest of an answer or project, once per erasure';
const acrossShards = {
  'archives find $expr _id endedAt readyAt': CHECK,
  'archives find _id': CHECK,
  'archives find expiresAt': SWEEP,
  'deadLetters aggregate droppedAt replayedAt': FIGURES,
  'deadLetters aggregate submissionId': ERASURE,
  'deadLetters aggregate projectId': ERASURE,
  'deadLetters deleteMany projectId': ERASURE,
  'deadLetters deleteMany submissionId': ERASURE,
  'deadLetters find $nor at droppedAt replayedAt': OPERATOR,
  'deadLetters find droppedAt replayedAt': OPERATOR,
  'deadLetters find droppedAt reason replayedAt retryAt': SWEEP,
  'erasures find purgeAt': SWEEP,
  'keptUploads find': SWEEP,
  'notes aggregate _id projectId': ERASURE,
  'notes aggregate projectId': ERASURE,
  'notes deleteMany _id projectId': ERASURE,
  'notes deleteMany projectId': ERASURE,
  'submissions aggregate job.dueAt job.kind job.state': OPERATOR,
  'submissions aggregate job.givenBack job.kind job.since': FIGURES,
  'submissions aggregate job.kind job.state': QUEUE,
  'submissions aggregate mediaStatus questionIndex': FIGURES,
  'submissions aggregate mediaStatus questionIndex transcriptStatus': FIGURES,
  'submissions aggregate outbox.at': FIGURES,
  'submissions find _id': `${OPERATOR} without a project; ${CHECK}`,
  'submissions find createdAt': SWEEP,
  'submissions find job.dueAt job.kind job.state': QUEUE,
  'submissions find job.dueAt job.kind job.state ownerId': QUEUE,
  'submissions find job.givenBack job.kind': OPERATOR,
  'submissions find job.givenBack job.kind job.since': FIGURES,
  'submissions find job.holder job.kind job.state': QUEUE,
  'submissions find outbox.at': 'the one publishing process reads unpublished events',
  'submissions find ownerId projectId': CHECK,
  'submissions find purgeAt': SWEEP,
  'submissions find sourceHeldUntil': SWEEP,
  'uploads aggregate completeAt state': FIGURES,
  'uploads aggregate finishingAt state': FIGURES,
  'uploads aggregate state': FIGURES,
  'uploads find $nor failures lastByteAt state': OPERATOR,
  'uploads find $nor lastByteAt refusal state': OPERATOR,
  'uploads find $or _id': CHECK,
  'uploads find _id state': CHECK,
  'uploads find _id': `${OPERATOR} without a project; ${SWEEP}`,
  'uploads find completeAt state': SWEEP,
  'uploads find emptied linkId questionIndex responseId': ERASURE,
  'uploads find failures state': OPERATOR,
  'uploads find finishingAt state': FIGURES,
  'uploads find lastByteAt state': SWEEP,
  'uploads find nextTryAt state': SWEEP,
  'uploads find nextTryAt ownerId state': SWEEP,
  'uploads find partsDueAt': SWEEP,
  'uploads find refusal state': OPERATOR,
  'uploads find state submissionId': CHECK,
  'uploads updateMany _id': ERASURE,
};

export const sharding: Sharding = { keys, acrossShards };
