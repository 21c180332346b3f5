import { isDeepStrictEqual } from 'node:util';
import type { OutboxEntry } from '@recording-request/events/outbox';
import type { Logo } from '../domain/logo.ts';
import type { Project } from '../domain/project.ts';
import type { Models } from './models.ts';
import { PLAIN_PROJECT } from './projects.ts';

/** A project's record contains its logo, so that one write changes, announces or erases it. */
export function createLogos({ projects }: Pick<Models, 'projects'>) {
  async function find(ownerId: string, projectId: string): Promise<Logo | null> {
    const project = await projects
      .findOne({ _id: projectId, ownerId }, { logo: 1 })
      .lean<{ logo?: { image: { buffer: Buffer }; mediaType: string } }>();
    if (!project?.logo) return null;
    const { image, mediaType } = project.logo;
    return { image: Buffer.from(image.buffer), mediaType };
  }

  return {
    find,

    /**
     * Replaces the logo, or removes it with null, and adds the event if this is a change. Returns null if this owner has no
     * such project.
     */
    async set(
      { _id, ownerId }: Pick<Project, '_id' | 'ownerId'>,
      logo: Logo | null,
      event: OutboxEntry,
    ): Promise<Project | null> {
      const changes = !isDeepStrictEqual(await find(ownerId, _id), logo);
      return await projects
        .findOneAndUpdate(
          { _id, ownerId },
          {
            ...(logo ? { $set: { logo } } : { $unset: { logo: '' } }),
            ...(changes ? { $push: { outbox: event } } : {}),
          },
          { returnDocument: 'after', projection: PLAIN_PROJECT },
        )
        .lean<Project>();
    },
  };
}
