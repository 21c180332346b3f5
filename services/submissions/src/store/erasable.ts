import type { Trace } from '../domain/clips/submission.ts';

/** The response and question of a submission. They identify its uploads and notes. */
export interface AnswerKey {
  linkId: string;
  responseId: string;
  questionIndex: number;
}

/** A live submission (without `erasedAt`), or the tombstone that replaced it. */
export interface Erasable {
  id: string;
  projectId: string;
  erasedAt?: Date;
  /** Absent after the uploads and notes of this answer were removed. */
  answer?: AnswerKey;
  /** The trace in which the clip landed. */
  trace?: Trace;
  /** When the clip landed; absent in a tombstone. */
  landedAt?: Date;
}

export interface LinkOfProject {
  projectId: string;
  linkId: string;
}

export const FIELDS = {
  projectId: 1,
  linkId: 1,
  responseId: 1,
  questionIndex: 1,
  erasedAt: 1,
  left: 1,
  trace: 1,
  createdAt: 1,
} as const;

export type Row = {
  _id: unknown;
  projectId: string;
  createdAt?: Date | null;
  erasedAt?: Date | null;
  left?: unknown;
  trace?: unknown;
} & AnswerKey;

export function fromRow(row: Row): Erasable {
  const { linkId, responseId, questionIndex } = row;
  const traced = row.trace ? { trace: row.trace as Trace } : {};
  const landed = row.createdAt ? { landedAt: row.createdAt } : {};
  const base = { id: String(row._id), projectId: row.projectId, ...landed, ...traced };
  if (!row.erasedAt) return { ...base, answer: { linkId, responseId, questionIndex } };
  return { ...base, erasedAt: row.erasedAt, ...(row.left ? { answer: row.left as AnswerKey } : {}) };
}

/** The erasure of a project, or of one of its links. */
export interface ErasedProject {
  /** The id of the project, or of the link. */
  id: string;
  at: Date;
  /** Present if the owner began the erasure. */
  owned?: OwnedErasure;
  /** Present in the erasure of a link: its project, and its submissions that were erased. */
  link?: { projectId: string; submissionIds: string[] };
}

/** The erasure of a project by its owner, or of a link. */
export interface OwnedErasure {
  ownerId: string;
  /** When this service announced the erasure to the other services. */
  announcedAt?: Date;
  doneAt?: Date;
  /**
   * When Kafka deletes the last record of the erased data; absent until the erasure is done, and if Kafka keeps records
   * forever.
   */
  recordsEndAt?: Date;
  /** The counts of the data that was removed so far, here and in the projects service. */
  removed: Record<string, number>;
  removedOfProject: Record<string, number>;
}

export type ProjectRow = {
  _id: unknown;
  at: Date;
  projectId?: string;
  submissionIds?: string[];
} & Partial<OwnedErasure>;

export function fromProjectRow(row: ProjectRow | null): ErasedProject | undefined {
  if (!row) return undefined;
  const { _id, at, ownerId, announcedAt, doneAt, recordsEndAt, removed = {}, removedOfProject = {} } = row;
  const { projectId, submissionIds = [] } = row;
  const link = projectId ? { link: { projectId, submissionIds } } : {};
  if (ownerId === undefined) return { id: String(_id), at };
  const times = {
    ...(announcedAt && { announcedAt }),
    ...(doneAt && { doneAt }),
    ...(recordsEndAt && { recordsEndAt }),
  };
  return { id: String(_id), at, ...link, owned: { ownerId, ...times, removed, removedOfProject } };
}
