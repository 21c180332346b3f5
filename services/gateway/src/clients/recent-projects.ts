import { LRUCache } from 'lru-cache';
import type { ProjectRef } from '../plugins/access-kinds.ts';
import type { Services } from './services.ts';
import { loadShownProject, type ShownProject } from './shown-clips.ts';

/**
 * Caches the projects that this process read in the last second. So an owner's read of many pages does not read the
 * project for each page. A change through another gateway shows after at most one second.
 */
export interface RecentProjects {
  get(project: ProjectRef): ShownProject | undefined;
  /** Reads the project, and keeps it. */
  load(project: ProjectRef): Promise<ShownProject>;
  /** Forgets the project after a change. A read that began before this call is not kept. */
  changed(project: ProjectRef): void;
  /** Forgets the project if it had no person: it may now have its first person. */
  invited(project: ProjectRef): void;
}

const PROJECTS_MOST = 10_000;
const KEPT_MS = 1_000;

export function createRecentProjects(services: Pick<Services, 'projects'>): RecentProjects {
  const recent = new LRUCache<string, ShownProject>({ max: PROJECTS_MOST, ttl: KEPT_MS });
  // One number for all projects: after a change of any project, the result of a read that was running is not cached,
  // even if the read was of another project.
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
