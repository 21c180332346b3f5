import type { ErasedSubmissions } from '@recording-request/proto/operator/v1/submissions';
import type { ErasedPayloads } from '@recording-request/proto/operator/v1/webhooks';
import type { ErasedOfProject } from '@recording-request/proto/projects/v1/projects';
import { isoDate } from '../dates.ts';
import type { ErasureCountsJson, ErasureJson } from '../resources/erasure.ts';

/** The counts of an erasure in each service. */
export interface ErasureParts {
  submissions: ErasedSubmissions | undefined;
  project?: ErasedOfProject | undefined;
  webhooks: (ErasedPayloads | undefined)[];
  /** True if the objects were not counted. */
  withoutObjects?: boolean;
}

export interface ErasureFacts {
  projectId: string;
  submissionId?: string | undefined;
  tokenId?: string | undefined;
  state: ErasureJson['state'];
  counts: ErasureParts;
  confirm?: string | undefined;
  confirmExpiresAt?: Date | undefined;
  begunAt?: Date | undefined;
  erasedAt?: Date | undefined;
  left?: number | undefined;
  recordsEndAt?: Date | undefined;
}

export function presentErasure(facts: ErasureFacts): ErasureJson {
  const { projectId, submissionId, tokenId, state, counts, confirm, left } = facts;
  const dateOf = (name: 'confirmExpiresAt' | 'begunAt' | 'erasedAt' | 'recordsEndAt') =>
    facts[name] ? isoDate(facts[name], name) : null;
  return {
    projectId,
    submissionId: submissionId ?? null,
    tokenId: tokenId ?? null,
    state,
    counts: countsOf(counts),
    confirm: confirm ?? null,
    confirmExpiresAt: dateOf('confirmExpiresAt'),
    begunAt: dateOf('begunAt'),
    erasedAt: dateOf('erasedAt'),
    left: left ?? null,
    recordsEndAt: dateOf('recordsEndAt'),
  };
}

/** Returns how many records, files, bodies and events the parts count. */
export function totalOf(parts: ErasureParts): number {
  const { objectBytes: _, undelivered: __, videosReleased: ___, objects, ...records } = countsOf(parts);
  return Object.values(records).reduce<number>((sum, count) => sum + (count ?? 0), objects ?? 0);
}

function countsOf({ submissions, project, webhooks, withoutObjects = false }: ErasureParts): ErasureCountsJson {
  const sum = (name: 'payloads' | 'undelivered' | 'events') =>
    webhooks.reduce((total, each) => total + (each?.[name] ?? 0), 0);
  return {
    submissions: submissions?.submissions ?? 0,
    uploads: submissions?.uploads ?? 0,
    notes: submissions?.notes ?? 0,
    objects: withoutObjects ? null : (submissions?.objects ?? 0),
    objectBytes: Number(submissions?.objectBytes ?? 0),
    links: project?.links ?? 0,
    people: (project?.people ?? 0) + (submissions?.people ?? 0),
    references: submissions?.references ?? 0,
    responses: project?.responses ?? 0,
    rememberedAnswers: project?.rememberedAnswers ?? 0,
    videosReleased: project?.videosReleased ?? 0,
    webhookBodies: sum('payloads'),
    undelivered: sum('undelivered'),
    events: sum('events'),
  };
}
