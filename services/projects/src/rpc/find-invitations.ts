import type {
  FindInvitationsRequest,
  FindInvitationsResponse,
  Origin,
} from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { noSuchProject } from '../domain/project.ts';
import { referenceKeys } from '../workflows/invitations.ts';

const FOUND_MAX = 500;

export const findInvitations =
  (context: Context) =>
  async ({ ownerId, projectId, reference }: FindInvitationsRequest): Promise<FindInvitationsResponse> => {
    const { store } = context;
    const [named, shared] = await Promise.all([
      store.projects.nameOf(ownerId, projectId),
      store.links.findShared(ownerId, projectId),
    ]);
    if (!named) throw noSuchProject();
    if (reference.trim() === '') return { origins: [] };
    const keys = referenceKeys(context, projectId, reference);
    const [links, sessions] = await Promise.all([
      store.people.linksOf(projectId, keys),
      shared ? store.people.sessionsOf(shared._id, keys, FOUND_MAX) : [],
    ]);
    const origins: Origin[] = [
      ...links.map(({ linkId }) => ({ linkId, responseSessionId: '' })),
      ...sessions.map(responseSessionId => ({ linkId: shared!._id, responseSessionId })),
    ];
    return { origins: origins.slice(0, FOUND_MAX) };
  };
