import { SETTING_DEFAULTS, SETTING_NAMES, type Settings } from '@recording-request/contract/project-settings';
import { outboxField, outboxIndex } from '@recording-request/events/outbox';
import { TOMBSTONE_DAYS } from '@recording-request/events/tombstones';
import { Schema } from 'mongoose';
import type { LinkDetails } from '../domain/link.ts';
import type { Logo } from '../domain/logo.ts';
import type { Project } from '../domain/project.ts';
import type { Answer } from '../domain/response.ts';
import type { Transfer } from '../domain/transfer.ts';
import type { User } from '../domain/user.ts';
import type {
  Erasure,
  HashDocument,
  IdempotencyDocument,
  LinkDocument,
  ProjectDocument,
  ResponseDocument,
  TokenDocument,
  UsesChange,
} from './documents.ts';

const part = { _id: false, versionKey: false } as const;
const whole = { versionKey: false, minimize: false } as const;
const text = { type: String, required: true } as const;
const number = { type: Number, required: true } as const;
const flag = { type: Boolean, required: true } as const;
const date = { type: Date, required: true } as const;
const maybeDate = { type: Date, default: null } as const;

const brand = new Schema<Settings['brand']>({ name: String, accent: String }, part);

export const userSchema = new Schema<User>(
  {
    _id: text,
    name: text,
    videoLimit: { type: Number, default: null },
    videosReserved: number,
    createdAt: date,
    closedAt: Date,
    disabledAt: Date,
    sandboxes: { type: [Date], default: undefined },
    brand: { type: brand },
  },
  whole,
);

const formerHash = new Schema({ hash: { type: Buffer, required: true }, until: date }, part);
export const tokenSchema = new Schema<TokenDocument>(
  {
    _id: text,
    userId: text,
    hash: { type: Buffer, required: true },
    label: String,
    scopes: [String],
    createdAt: date,
    expiresAt: maybeDate,
    revokedAt: maybeDate,
    lastUsedAt: Date,
    former: { type: formerHash },
  },
  whole,
).index({ userId: 1, _id: 1 });

/**
 * Returns the Mongoose type for storing a value. The elements of every list are texts. A text may be empty; with
 * `required`, Mongoose would treat an empty text as absent.
 */
function storedAs(value: unknown) {
  if (Array.isArray(value)) return [String];
  if (typeof value === 'string') return String;
  if (typeof value === 'object') return Schema.Types.Mixed;
  return typeof value === 'number' ? number : flag;
}

const settings = new Schema<Settings>(
  Object.fromEntries(SETTING_NAMES.map(name => [name, storedAs(SETTING_DEFAULTS[name])])) as never,
  part,
);

const former = new Schema({ secret: text, until: date }, part);
const webhook = new Schema<Project['webhook']>(
  { secret: String, former: { type: former, default: null }, targetVersion: number },
  part,
);

const logo = new Schema<Logo>({ image: { type: Buffer, required: true }, mediaType: text }, part);

const usesChange = new Schema<UsesChange>({ from: number, to: number, version: number }, part);

export const projectSchema = new Schema<ProjectDocument>(
  {
    _id: text,
    ownerId: text,
    createdAt: date,
    expiresAt: maybeDate,
    closedAt: Date,
    settings: { type: settings, required: true },
    retentionDays: Number,
    sandboxEndsAt: Date,
    sandboxDueAt: Date,
    webhook: { type: webhook, required: true },
    logo: { type: logo },
    dashboardHash: { type: Buffer, required: true },
    hasInvitations: Boolean,
    peopleVersion: Number,
    reminders: { type: Schema.Types.Mixed as never },
    remindAt: Date,
    usesChange: { type: usesChange, default: null },
    outbox: outboxField,
  },
  whole,
)
  .index(...outboxIndex)
  // Includes the name, so that a search reads only the index: the questions of one project can be 100 KB long.
  .index({ ownerId: 1, _id: -1, 'settings.projectName': 1 })
  .index(
    { remindAt: 1, ownerId: 1, _id: 1 },
    { name: 'due_reminders', partialFilterExpression: { remindAt: { $exists: true } } },
  )
  .index({ 'usesChange.version': 1 }, { name: 'open_uses_changes', sparse: true })
  .index({ sandboxDueAt: 1 }, { name: 'sandboxes', sparse: true })
  .index({ sandboxEndsAt: 1 }, { name: 'sandbox_ends', sparse: true })
  .index(
    { _id: 1, retentionDays: 1, ownerId: 1 },
    { name: 'retentions', partialFilterExpression: { retentionDays: { $exists: true } } },
  );

export const linkSchema = new Schema<LinkDocument>(
  {
    _id: text,
    projectId: text,
    ownerId: text,
    type: { type: String, enum: ['unique', 'shared'], required: true },
    position: number,
    hash: { type: Buffer, required: true },
    sealedToken: text,
    maxUses: number,
    claimed: number,
    landed: number,
    submissionCount: number,
    disabled: flag,
    openedAt: maybeDate,
    submittedAt: maybeDate,
    completedAt: maybeDate,
    createdAt: date,
    applied: [Schema.Types.ObjectId],
    usesVersion: number,
    changedAt: Date,
    opened: flag,
    complete: flag,
    sealedInvitation: String,
    personKey: String,
    dueAt: Date,
    dueSince: Date,
    remindedAt: Date,
    reminded: { type: [String], default: undefined },
    remindersSent: Number,
    remindersStopped: Boolean,
    ownerStoppedReminders: Boolean,
    erasedAt: Date,
    spent: Number,
    outbox: outboxField,
  },
  whole,
)
  .index(...outboxIndex)
  .index({ projectId: 1, position: 1 }, { unique: true })
  // Covers the queries for stats, and orders the links of each state. This index and the next contain only unique
  // links, so a claim on a contended shared link changes no index entry.
  .index(
    {
      ...{ ownerId: 1, projectId: 1, type: 1, disabled: 1, maxUses: 1, claimed: 1, landed: 1 },
      ...{ complete: 1, opened: 1, position: 1 },
    },
    { name: 'unique_links', partialFilterExpression: { type: 'unique' } },
  )
  .index(
    { type: 1, ownerId: 1, projectId: 1, changedAt: -1, position: 1 },
    { name: 'unique_link_changes', partialFilterExpression: { type: 'unique' } },
  )
  .index(
    { projectId: 1, personKey: 1, position: 1 },
    { name: 'people', partialFilterExpression: { personKey: { $exists: true } } },
  )
  .index(
    { projectId: 1, dueAt: 1, position: 1 },
    { name: 'deadlines', partialFilterExpression: { dueAt: { $exists: true } } },
  );

const answer = new Schema<Answer>({ questionIndex: number, submissionId: text, at: date }, part);
const terms = new Schema({ sha256: text, acceptedAt: date }, part);
const linkDetails = new Schema<LinkDetails>({ position: number }, part);
const transfer = new Schema<Transfer>(
  {
    id: { type: Schema.Types.ObjectId, required: true },
    holder: { type: Schema.Types.ObjectId, required: true },
    kind: text as never,
    completes: Boolean,
    at: date,
    leaseUntil: date,
  },
  part,
);

export const responseSchema = new Schema<ResponseDocument>(
  {
    _id: text,
    sessionId: text,
    linkId: text,
    projectId: text,
    ownerId: text,
    link: { type: linkDetails, required: true },
    solo: { type: Boolean } as never,
    settings: { type: settings, required: true },
    sealedReference: String,
    personKey: String,
    terms: { type: terms, default: null },
    use: text as never,
    hasBytes: flag,
    heldUntil: date,
    answers: [answer],
    complete: flag,
    createdAt: date,
    transfer: { type: transfer },
    began: { type: Schema.Types.Mixed as never },
    outbox: outboxField,
  },
  whole,
)
  .index(...outboxIndex)
  .index({ linkId: 1 }, { unique: true, partialFilterExpression: { solo: true } })
  .index({ linkId: 1, personKey: 1 }, { name: 'references', partialFilterExpression: { personKey: { $exists: true } } })
  // The sweepers use these two indexes. Both stay small.
  .index({ heldUntil: 1 }, { name: 'empty_claims', partialFilterExpression: { use: 'held', hasBytes: false } })
  .index({ 'transfer.leaseUntil': 1 }, { name: 'open_transfers', sparse: true });

// A hash identifies one record, on any shard.
export const hashSchema = new Schema<HashDocument>(
  { _id: { type: Buffer, required: true } as never, kind: text as never, id: text, projectId: String },
  whole,
)
  // An erasure removes the codes of a project.
  .index({ projectId: 1 }, { name: 'codes', partialFilterExpression: { kind: 'code' } });

export const idempotencySchema = new Schema<IdempotencyDocument>(
  {
    _id: text,
    userId: text,
    key: text,
    bodyHash: text,
    state: text as never,
    attempt: text,
    session: Schema.Types.Mixed,
    leaseUntil: date,
    answer: String,
    projectId: String,
    expireAt: date,
  },
  whole,
)
  .index({ userId: 1, key: 1 }, { unique: true })
  .index({ projectId: 1 }, { sparse: true })
  .index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export const erasureSchema = new Schema<Erasure>(
  { _id: text, kind: text as never, ownerId: text, at: date, againAt: maybeDate },
  whole,
)
  .index({ againAt: 1 }, { name: 'due', partialFilterExpression: { againAt: { $type: 'date' } } })
  .index({ at: 1 }, { name: 'forget', expireAfterSeconds: TOMBSTONE_DAYS * 86_400 });
