import { LIMITS } from '@recording-request/contract/limits';
import { DomainError } from '@recording-request/kit/errors';
import { withSlot } from '@recording-request/kit/with-slot';
import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import type { ListLinksRequest, ListLinksResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { hasExpired, type Link, SHARED_POSITION } from '../domain/link.ts';
import { noSuchProject, type Project } from '../domain/project.ts';
import { BEFORE_SHARED, type LinkFilter } from '../store/link-pages.ts';
import { referenceKeys } from '../workflows/invitations.ts';
import { toLink, toLinkState, toPersonState } from './project-messages.ts';

export const listLinks =
  (context: Context) =>
  async (request: ListLinksRequest, { signal }: CallContext): Promise<ListLinksResponse> => {
    const { ownerId, projectId, pageSize = LIMITS.linkPageSize, cursor } = request;
    const after = cursor === undefined ? undefined : openCursor(cursor);
    const size = Math.max(1, Math.min(pageSize, LIMITS.linkPageSize));
    return await withSlot(context.lists, ownerId, signal, async () => {
      const project = await context.store.projects.find(ownerId, projectId);
      if (!project) throw noSuchProject();
      return await listPage(context, project, { after, size, filter: filterOf(context, request) });
    });
  };

interface PageOptions {
  /** The page begins after this position; undefined for the first page. */
  after: number | undefined;
  size: number;
  /** Undefined selects all links. */
  filter: LinkFilter | undefined;
}

function filterOf(context: Context, request: ListLinksRequest): LinkFilter | undefined {
  const { projectId, reference, complete, changedAfter } = request;
  const filter: LinkFilter = {
    state: toLinkState(request.status),
    personState: toPersonState(request.personState),
    personKeys: reference === undefined ? undefined : referenceKeys(context, projectId, reference),
    complete,
    changedAfter,
  };
  return Object.values(filter).some(value => value !== undefined) ? filter : undefined;
}

async function listPage(context: Context, project: Project, options: PageOptions): Promise<ListLinksResponse> {
  const now = context.clock.now();
  const { shared, unique, more } = await readPage(context, project, options, now);
  return {
    sharedLink: shared ? toLink(context, shared, project, now) : undefined,
    uniqueLinks: unique.map(link => toLink(context, link, project, now)),
    nextCursor: more ? makeCursor(unique.at(-1)!.position) : undefined,
  };
}

interface LinkRows {
  shared: Link | null | undefined;
  unique: Link[];
  more: boolean;
}

async function readPage(
  { store }: Context,
  project: Project,
  { after, size, filter = {} }: PageOptions,
  now: Date,
): Promise<LinkRows> {
  const { _id: projectId, ownerId } = project;
  const wanted = { ownerId, projectId, filter, expired: hasExpired(project, now) };
  if (after === undefined && Object.keys(filter).length === 0) {
    // The shared link has the first position, so one query reads all links.
    const { links, more } = await store.linkPages.page({ ...wanted, after: BEFORE_SHARED }, size + 1);
    const shared = links[0]?.position === SHARED_POSITION ? links[0] : undefined;
    const unique = links.slice(shared ? 1 : 0, size + (shared ? 1 : 0));
    return { shared, unique, more: more || links.length > unique.length + (shared ? 1 : 0) };
  }
  const [shared, { links: unique, more }] = await Promise.all([
    store.links.findShared(ownerId, projectId),
    store.linkPages.page({ ...wanted, after: after ?? SHARED_POSITION }, size),
  ]);
  return { shared, unique, more };
}

// The cursor has a version, so that this service can recognise later kinds of cursor.
export const makeCursor = (position: number): string => Buffer.from(`1:${position}`).toString('base64url');

function openCursor(cursor: string): number {
  const position = Number(Buffer.from(cursor, 'base64url').toString().replace(/^1:/, ''));
  // Refuses the shared link's position, because no page contains this link.
  if (!Number.isSafeInteger(position) || position <= SHARED_POSITION || makeCursor(position) !== cursor)
    throw new DomainError('invalid', 'cursor must be a nextCursor that an earlier page gave, unchanged.');
  return position;
}
