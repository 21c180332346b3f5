import { LIMITS } from '@recording-request/contract/limits';
import { DomainError } from '@recording-request/kit/errors';
import type { LinkStatus, ListLinksRequest, ListLinksResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { hasExpired, SHARED_POSITION } from '../domain/link.ts';
import { noSuchProject, type Project } from '../domain/project.ts';
import { mapInBatches } from '../workflows/map-in-batches.ts';
import { toLink, toLinkState } from './project-messages.ts';

export const listLinks =
  (context: Context) =>
  async (request: ListLinksRequest): Promise<ListLinksResponse> => {
    const after = request.cursor === undefined ? SHARED_POSITION : openCursor(request.cursor);
    const project = await context.store.projects.find(request.ownerId, request.projectId);
    if (!project) throw noSuchProject();
    return request.pageSize === undefined
      ? listAll(context, project)
      : listPage(context, project, {
          after,
          size: Math.min(request.pageSize, LIMITS.linkPageSize),
          status: request.status,
        });
  };

async function listAll(context: Context, project: Project): Promise<ListLinksResponse> {
  const links = await context.store.links.listOf(project.ownerId, project._id);
  const now = context.clock.now();
  const messages = await mapInBatches(links, link => toLink(context, link, project.expiresAt, now));
  const hasShared = links[0]?.position === SHARED_POSITION;
  return {
    sharedLink: hasShared ? messages[0] : undefined,
    uniqueLinks: hasShared ? messages.slice(1) : messages,
  };
}

async function listPage(
  context: Context,
  { _id: projectId, ownerId, expiresAt }: Project,
  { after, size, status }: { after: number; size: number; status?: LinkStatus },
): Promise<ListLinksResponse> {
  const { store, clock } = context;
  const now = clock.now();
  const wanted = { ownerId, projectId, state: toLinkState(status), expired: hasExpired(expiresAt, now), after };
  // One more than asked: it shows whether there is another page.
  const [shared, rows] = await Promise.all([
    store.links.findShared(ownerId, projectId),
    store.links.pageOf(wanted, size + 1),
  ]);
  const page = rows.slice(0, size);
  return {
    sharedLink: shared ? toLink(context, shared, expiresAt, now) : undefined,
    uniqueLinks: page.map(link => toLink(context, link, expiresAt, now)),
    nextCursor: rows.length > size ? makeCursor(page.at(-1)!.position) : undefined,
  };
}

// Versioned, so that a later kind of cursor can be recognised.
const makeCursor = (position: number): string => Buffer.from(`1:${position}`).toString('base64url');

function openCursor(cursor: string): number {
  const position = Number(Buffer.from(cursor, 'base64url').toString().replace(/^1:/, ''));
  if (!Number.isSafeInteger(position) || makeCursor(position) !== cursor)
    throw new DomainError('invalid', 'cursor must be a nextCursor that an earlier page gave, unchanged.');
  return position;
}
