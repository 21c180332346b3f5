import { LIMITS } from '@recording-request/contract/limits';
import { DomainError } from '@recording-request/kit/errors';
import { withSlot } from '@recording-request/kit/with-slot';
import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import type { LinkStatus, ListLinksRequest, ListLinksResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { hasExpired, type Link, SHARED_POSITION } from '../domain/link.ts';
import { noSuchProject, type Project } from '../domain/project.ts';
import { toLink, toLinkState } from './project-messages.ts';

export const listLinks =
  (context: Context) =>
  async (request: ListLinksRequest, { signal }: CallContext): Promise<ListLinksResponse> => {
    const { ownerId, projectId, pageSize = LIMITS.linkPageSize, cursor, status, complete } = request;
    const after = cursor === undefined ? undefined : openCursor(cursor);
    const size = Math.max(1, Math.min(pageSize, LIMITS.linkPageSize));
    return await withSlot(context.lists, ownerId, signal, async () => {
      const project = await context.store.projects.find(ownerId, projectId);
      if (!project) throw noSuchProject();
      return await listPage(context, project, { after, size, status, complete });
    });
  };

interface PageOptions {
  /** The position of a link. */
  after: number | undefined;
  size: number;
  status: LinkStatus | undefined;
  complete: boolean | undefined;
}

async function listPage(context: Context, project: Project, options: PageOptions): Promise<ListLinksResponse> {
  const now = context.clock.now();
  const { shared, unique } = await readPage(context, project, options, now);
  const page = unique.slice(0, options.size);
  return {
    sharedLink: shared ? toLink(context, shared, project, now) : undefined,
    uniqueLinks: page.map(link => toLink(context, link, project, now)),
    nextCursor: unique.length > options.size ? makeCursor(page.at(-1)!.position) : undefined,
  };
}

/**
 * Returns the shared link, and one unique link more than requested. The additional link shows whether another page
 * follows.
 */
async function readPage(
  { store }: Context,
  project: Project,
  { after, size, status, complete }: PageOptions,
  now: Date,
): Promise<{ shared: Link | null | undefined; unique: Link[] }> {
  const { _id: projectId, ownerId } = project;
  const wanted = { ownerId, projectId, state: toLinkState(status), complete, expired: hasExpired(project, now) };
  if (after === undefined && wanted.state === undefined && complete === undefined) {
    // The shared link is at the first position, so one query reads it with the others.
    const links = await store.links.pageOf({ ...wanted, after: SHARED_POSITION - 1 }, size + 2);
    const hasShared = links[0]?.position === SHARED_POSITION;
    return { shared: hasShared ? links[0] : undefined, unique: hasShared ? links.slice(1) : links };
  }
  const [shared, unique] = await Promise.all([
    store.links.findShared(ownerId, projectId),
    store.links.pageOf({ ...wanted, after: after ?? SHARED_POSITION }, size + 1),
  ]);
  return { shared, unique };
}

// The cursor has a version, so that this service can recognise later kinds of cursor.
export const makeCursor = (position: number): string => Buffer.from(`1:${position}`).toString('base64url');

function openCursor(cursor: string): number {
  const position = Number(Buffer.from(cursor, 'base64url').toString().replace(/^1:/, ''));
  if (!Number.isSafeInteger(position) || makeCursor(position) !== cursor)
    throw new DomainError('invalid', 'cursor must be a nextCursor that an earlier page gave, unchanged.');
  return position;
}
