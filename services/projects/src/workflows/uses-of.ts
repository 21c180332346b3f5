import type { Project } from '../domain/project.ts';
import type { Store } from '../store/store.ts';

/** Returns the number of uses of all links of a project. */
export async function usesOf({ links }: Pick<Store, 'links'>, { _id, ownerId }: Pick<Project, '_id' | 'ownerId'>) {
  const { unique, shared } = (await links.sums(ownerId, [_id])).get(_id) ?? {};
  return (unique?.capacity ?? 0) + (shared?.capacity ?? 0);
}
