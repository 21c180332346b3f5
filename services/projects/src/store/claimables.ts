import { sharedRead } from '@recording-request/kit/batcher';
import type { Link } from '../domain/link.ts';
import type { Project } from '../domain/project.ts';
import type { User } from '../domain/user.ts';
import type { Hashes } from './hashes.ts';
import { type LinkKey, linkAt, PLAIN_LINK } from './links.ts';
import type { Models } from './models.ts';
import { PLAIN_PROJECT } from './projects.ts';

/** The records that decide whether a use of a link can be claimed. */
export interface Claimable {
  link: Link;
  project: Project;
  /** True if the link's owner is disabled. */
  isDisabled: boolean;
  ownerBrand: Project['settings']['brand'] | undefined;
}

const WITH_PROJECT_AND_OWNER = [
  {
    $lookup: {
      from: 'projects',
      as: 'project',
      localField: 'projectId',
      foreignField: '_id',
      pipeline: [{ $project: PLAIN_PROJECT }],
    },
  },
  {
    $lookup: {
      from: 'users',
      as: 'owner',
      localField: 'ownerId',
      foreignField: '_id',
      pipeline: [{ $project: { disabledAt: 1, brand: 1 } }],
    },
  },
];

/** Reads links with their projects and owners, each link in one query. */
export function createClaimables({ links }: Pick<Models, 'links'>, hashes: Hashes) {
  async function read(filter: object): Promise<Claimable | null> {
    const [found] = await links.aggregate<Link & { project: Project[]; owner: Pick<User, 'disabledAt' | 'brand'>[] }>([
      { $match: filter },
      { $project: PLAIN_LINK },
      ...WITH_PROJECT_AND_OWNER,
    ]);
    if (!found) return null;
    const {
      project: [project],
      owner: [owner],
      ...link
    } = found;
    if (project?.ownerId !== link.ownerId) return null;
    return { link, project, isDisabled: Boolean(owner?.disabledAt), ownerBrand: owner?.brand };
  }
  return {
    /**
     * Returns null if the link or its project does not exist. Calls share reads, because hundreds of responses can
     * begin at one link at the same moment. A call never uses a read that began before it. Callers must not change the
     * result.
     */
    find: sharedRead(
      ({ linkId, projectId }: LinkKey) => `${linkId} ${projectId}`,
      (key: LinkKey) => read(linkAt(key)),
    ),

    /** Finds the same records by the hash of the link's token. */
    async findByHash(hash: Buffer): Promise<Claimable | null> {
      const entry = await hashes.find('link', hash);
      return entry && (await read({ _id: entry.id, projectId: entry.projectId, hash }));
    },
  };
}
