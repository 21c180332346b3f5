import { LRUCache } from 'lru-cache';
import type { ProjectRef } from '../plugins/access-kinds.ts';
import type { Services } from './services.ts';
import { loadShownProject, type ShownProject } from './shown-clips.ts';

/**
 * Projects that this process read in the last second, so that an owner who reads page after page causes no read of the
 * project for each page. A change through another gateway shows after this second.
 */
export interface RecentProjects {
  get(project: ProjectRef): ShownProject | undefined;
  /** Reads the project, and keeps it. */
  load(project: ProjectRef): Promise<ShownProject>;
  /** Forgets the project after a change. A read that began before this call is not kept. */
  changed(project: ProjectRef): void;
  /** Forgets the project if it had no person: it may now have the first one. */
  invited(project: ProjectRef): void;
}

const KEPT = 10_000;
const KEPT_MS = 1_000;

export function createRecentProjects(services: Pick<Services, 'projects'>): RecentProjects {
  const recent = new LRUCache<string, ShownProject>({ max: KEPT, ttl: KEPT_MS });
  // One number for all projects: it may prevent that an unchanged project is kept, but never keeps a changed one.
  let changes = 0;
  function changed(project: ProjectRef): void {
    changes += 1;
    recent.delete(keyOf(project));
  }
  return {
    get: project => recent.get(keyOf(project)),
    async load(project) {
      const before = changes;
      const shown = await loadShownProject(services, project);
      if (changes === before) recent.set(keyOf(project), shown);
      return shown;
    },
    changed,
    invited(project) {
      if (!recent.get(keyOf(project))?.hasInvitations) changed(project);
    },
  };
}

const keyOf = ({ ownerId, projectId }: ProjectRef): string => `${ownerId} ${projectId}`;
