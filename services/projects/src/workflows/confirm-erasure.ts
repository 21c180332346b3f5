import { DomainError } from '@recording-request/kit/errors';
import type { Context } from '../context.ts';
import { noSuchProject } from '../domain/project.ts';
import { sealedFor } from '../domain/sealing.ts';
import type { ProjectTally } from '../store/erasures.ts';
import type { OwnedLinkKey } from '../store/link-erasures.ts';
import { ownedUniqueLink, tallyLink } from './erase-link.ts';

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
export async function proposeErasure(deps: Deps, target: ErasureTarget): Promise<Proposal> {
  const { projectId, submissionId } = target;
  const { store } = deps;
  await requireProject(store, target);
  const counts = submissionId === '' ? await store.erasures.tallyProject(projectId) : undefined;
  return { ...newConfirm(deps, contextOf(target)), counts: counts ?? undefined };
}

/** Does the same for a unique link. */
export async function proposeLinkErasure(deps: Deps, target: OwnedLinkKey): Promise<Proposal> {
  await ownedUniqueLink(deps, target);
  return { ...newConfirm(deps, contextOfLink(target)), counts: await tallyLink(deps, target) };
}

/** Fails with `conflict` unless `confirm` is a value for this owner and target that has not expired. */
export async function confirmErasure(deps: Deps, target: ErasureTarget, confirm: string): Promise<void> {
  await requireProject(deps.store, target);
  requireConfirm(deps, confirm, contextOf(target));
}

/** Does the same for a unique link. */
export async function confirmLinkErasure(deps: Deps, target: OwnedLinkKey, confirm: string): Promise<void> {
  await ownedUniqueLink(deps, target);
  requireConfirm(deps, confirm, contextOfLink(target));
}

const contextOf = ({ ownerId, projectId, submissionId }: ErasureTarget) =>
  sealedFor.erasure(ownerId, projectId, submissionId);
const contextOfLink = ({ ownerId, projectId, linkId }: OwnedLinkKey) =>
  sealedFor.linkErasure(ownerId, projectId, linkId);

function newConfirm({ clock, secrets }: Pick<Deps, 'clock' | 'secrets'>, context: string) {
  const confirmExpiresAt = new Date(clock.now().getTime() + VALID_MS);
  return { confirm: secrets.seal(confirmExpiresAt.toISOString(), context), confirmExpiresAt };
}

function requireConfirm({ clock, secrets }: Pick<Deps, 'clock' | 'secrets'>, confirm: string, context: string): void {
  const expiresAt = openedBy(secrets, confirm, context);
  if (!expiresAt) throw unconfirmed('confirm was not given out for this erasure');
  if (expiresAt <= clock.now()) throw unconfirmed('confirm has expired');
}

async function requireProject(store: Deps['store'], { ownerId, projectId }: ErasureTarget): Promise<void> {
  if (!(await store.projects.nameOf(ownerId, projectId))) throw noSuchProject();
}

function openedBy(secrets: Context['secrets'], confirm: string, context: string): Date | undefined {
  try {
    return new Date(secrets.open(confirm, context).toString());
  } catch {
    return undefined;
  }
}

const unconfirmed = (why: string) =>
  new DomainError('conflict', `${why}: send the request without confirm for a new one. Nothing was erased.`, {
    reason: 'erasure_unconfirmed',
  });
