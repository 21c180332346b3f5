import { DomainError } from '@recording-request/kit/errors';
import {
  type CheckStoreRequest,
  type CheckStoreResponse,
  StoreFinding_Kind,
} from '@recording-request/proto/operator/v1/submissions';
import type { Context } from '../../context.ts';
import { type CheckedBatch, checkObjects, checkRecords, type Finding } from '../../workflows/operator/check-store.ts';

const STEPS = ['submissions', 'uploads', 'archives', 'objects'] as const;
type Step = (typeof STEPS)[number];

const DAY_SECONDS = 86_400;
// The minimum age of orphans to delete. Every job, landing or archive needs less time from its first object to the
// write that names the object.
const DELETE_MIN_SECONDS = 3_600;

export const checkStore =
  (context: Context) =>
  async (request: CheckStoreRequest, { signal }: { signal: AbortSignal }): Promise<CheckStoreResponse> => {
    const { deep, deleteOrphans, orphanAgeSeconds } = request;
    const ageSeconds = orphanAgeSeconds || DAY_SECONDS;
    if (deleteOrphans && ageSeconds < DELETE_MIN_SECONDS)
      throw new DomainError('invalid', `Orphans are deleted from ${DELETE_MIN_SECONDS} seconds of age on.`);
    if (deleteOrphans && (await context.backupHold.isHeld()))
      throw new DomainError('unavailable', 'A backup is being made: delete orphans when it has ended.');
    const { step, after } = parseCursor(request.cursor);
    const before = new Date(Date.now() - ageSeconds * 1_000);
    const { next, findings, ...counts } =
      step === 'objects'
        ? await checkObjects(context, { after, before, deleteOrphans })
        : await checkRecords(context, step, { after, deep }, signal);
    return { nextCursor: nextCursor(step, next), ...counts, findings: findings.map(toMessage) };
  };

const KINDS: Record<Finding['kind'], StoreFinding_Kind> = {
  missing: StoreFinding_Kind.KIND_MISSING,
  wrongSize: StoreFinding_Kind.KIND_WRONG_SIZE,
  wrongSha256: StoreFinding_Kind.KIND_WRONG_SHA256,
  orphaned: StoreFinding_Kind.KIND_ORPHANED,
  foreign: StoreFinding_Kind.KIND_FOREIGN,
};

const toMessage = (finding: Finding) => ({ ...finding, kind: KINDS[finding.kind] });

function parseCursor(cursor: string): { step: Step; after: string } {
  if (cursor === '') return { step: STEPS[0], after: '' };
  const colon = cursor.indexOf(':');
  const step = STEPS.find(each => each === cursor.slice(0, colon));
  if (!step) throw new DomainError('invalid', 'cursor must be a next_cursor that an earlier call gave, unchanged.');
  return { step, after: cursor.slice(colon + 1) };
}

function nextCursor(step: Step, next: CheckedBatch['next']): string {
  if (next !== undefined) return `${step}:${next}`;
  const following = STEPS[STEPS.indexOf(step) + 1];
  return following ? `${following}:` : '';
}
