import { DomainError } from '@recording-request/kit/errors';
import type { Context } from '../context.ts';
import { noSuchProject } from '../domain/project.ts';
import { sealedFor } from '../domain/sealing.ts';
import type { ProjectTally } from '../store/erasures.ts';

const VALID_MS = 600_000;

/** `submissionId`: "" for the whole project. */
export interface ErasureTarget {
  ownerId: string;
  projectId: string;
  submissionId: string;
}

export interface Proposal {
  confirm: string;
  confirmExpiresAt: Date;
  counts: ProjectTally | undefined;
}

type Deps = Pick<Context, 'store' | 'clock' | 'secrets'>;

/**
 * Counts what an erasure removes, and returns the value that confirms it. The value is the time of its expiry, sealed for
 * this owner and this target, so nothing needs to be stored.
 */
export async function proposeErasure({ store, clock, secrets }: Deps, target: ErasureTarget): Promise<Proposal> {
  const { ownerId, projectId, submissionId } = target;
  await requireProject(store, target);
  const counts = submissionId === '' ? await store.erasures.tallyProject(projectId) : undefined;
  const confirmExpiresAt = new Date(clock.now().getTime() + VALID_MS);
  const confirm = secrets.seal(confirmExpiresAt.toISOString(), sealedFor.erasure(ownerId, projectId, submissionId));
  return { confirm, confirmExpiresAt, counts: counts ?? undefined };
}

/** Fails with `conflict` unless `confirm` is a value for this owner and target that has not expired. */
export async function confirmErasure(
  { store, clock, secrets }: Deps,
  target: ErasureTarget,
  confirm: string,
): Promise<void> {
  await requireProject(store, target);
  const expiresAt = openedBy(secrets, confirm, target);
  if (!expiresAt) throw unconfirmed('confirm was not given out for this erasure');
  if (expiresAt <= clock.now()) throw unconfirmed('confirm has expired');
}

async function requireProject(store: Deps['store'], { ownerId, projectId }: ErasureTarget): Promise<void> {
  if (!(await store.projects.nameOf(ownerId, projectId))) throw noSuchProject();
}

function openedBy(
  secrets: Context['secrets'],
  confirm: string,
  { ownerId, projectId, submissionId }: ErasureTarget,
): Date | undefined {
  try {
    return new Date(secrets.open(confirm, sealedFor.erasure(ownerId, projectId, submissionId)).toString());
  } catch {
    return undefined;
  }
}

const unconfirmed = (why: string) =>
  new DomainError('conflict', `${why}: send the request without confirm for a new one. Nothing was erased.`, {
    reason: 'erasure_unconfirmed',
  });
