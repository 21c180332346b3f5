import { sharedRead } from '@recording-request/kit/batcher';
import type { Link } from '../domain/link.ts';
import type { Project } from '../domain/project.ts';
import type { createLinks, LinkKey } from './links.ts';
import type { createProjects } from './projects.ts';
import type { Users } from './users.ts';

/** What decides whether a link can be claimed. */
export interface Claimable {
  link: Link;
  project: Project;
  /** Whether the link's owner is disabled. */
  isDisabled: boolean;
}

interface Readers {
  links: Pick<ReturnType<typeof createLinks>, 'find'>;
  projects: Pick<ReturnType<typeof createProjects>, 'find'>;
  users: Pick<Users, 'isDisabled'>;
}

/** Hundreds begin at one link in the same moment: they share their reads, each of them one that began after they asked. */
export function createClaimables({ links, projects, users }: Readers) {
  async function read(key: LinkKey): Promise<Claimable | null> {
    const link = await links.find(key);
    if (!link) return null;
    const [project, isDisabled] = await Promise.all([
      projects.find(link.ownerId, link.projectId),
      users.isDisabled(link.ownerId),
    ]);
    return project && { link, project, isDisabled };
  }
  return {
    /** null where there is no such link, or no project of it. It is shared: not to be changed. */
    find: sharedRead(({ linkId, projectId }: LinkKey) => `${linkId} ${projectId}`, read),
  };
}
