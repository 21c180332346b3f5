import type { Context } from '../context.ts';
import { noSuchProject } from '../domain/project.ts';
import type { ProjectTally } from '../store/erasures.ts';

export interface ErasedProject extends ProjectTally {
  erasedBeforeAt: Date | undefined;
}

type Deps = Pick<Context, 'store' | 'clock'>;

/** Erases this service's data of a project. The other services must erase the submissions and deliveries first. */
export async function eraseProject({ store, clock }: Deps, projectId: string): Promise<ErasedProject> {
  const { erasures } = store;
  const before = await erasures.find('project', projectId);
  const videosReleased = await erasures.closeProject(projectId, clock.now());
  const tombstone = await erasures.find('project', projectId);
  if (!tombstone) throw noSuchProject();
  const removed = await erasures.removeProject(tombstone);
  return { ...removed, videosReleased: videosReleased ?? 0, erasedBeforeAt: before?.at };
}

/** Returns what `eraseProject` would remove now. */
export async function tallyProject({ store }: Pick<Deps, 'store'>, projectId: string): Promise<ErasedProject> {
  const before = await store.erasures.find('project', projectId);
  const tally = await store.erasures.tallyProject(projectId, before?.ownerId);
  if (!tally) throw noSuchProject();
  return { ...tally, erasedBeforeAt: before?.at };
}

/**
 * Erases a project for its owner, or only counts its data. Fails with `not_found` if the project never belonged to this
 * owner. Repeatable.
 */
export async function eraseOwnedProject(
  deps: Deps,
  { ownerId, projectId, dryRun }: { ownerId: string; projectId: string; dryRun: boolean },
): Promise<ErasedProject> {
  const owned = await deps.store.projects.nameOf(ownerId, projectId);
  if (!owned && (await deps.store.erasures.find('project', projectId))?.ownerId !== ownerId) throw noSuchProject();
  return dryRun ? await tallyProject(deps, projectId) : await eraseProject(deps, projectId);
}
