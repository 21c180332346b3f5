import { LIMITS } from '@recording-request/contract/limits';
import type { LinkFilterInput } from '@recording-request/contract/link-requests';
import { personStateOf } from '@recording-request/contract/present';
import type { Link, ListLinksRequest, ListLinksResponse } from '@recording-request/proto/projects/v1/projects';
import type { ProjectRef } from '../plugins/access-kinds.ts';
import { type Page, pagesOf } from './pages.ts';
import type { Services } from './services.ts';

const DEADLINE_MS = 30_000;

type Filter = Pick<ListLinksRequest, 'personState' | 'reference' | 'changedAfter'>;

/** Returns the filter that a query states. */
export const linkFilterOf = ({ state, reference, changedAfter }: LinkFilterInput): Filter => ({
  personState: state && personStateOf(state),
  reference: reference?.trim(),
  changedAfter: changedAfter === undefined ? undefined : new Date(changedAfter),
});

/**
 * Yields the links of a project from `cursor` on, if the filter selects them. Without `cursor`, begins at the first
 * link.
 */
export const pagesOfLinks = (
  { projects }: Pick<Services, 'projects'>,
  { ownerId, projectId }: ProjectRef,
  signal: AbortSignal,
  { cursor, filter }: { cursor?: string | undefined; filter?: Filter } = {},
): AsyncGenerator<Page<ListLinksResponse>> =>
  pagesOf(
    from =>
      projects.listLinks(
        { ownerId, projectId, pageSize: LIMITS.linkPageSize, cursor: from, ...filter },
        { signal, deadlineMs: DEADLINE_MS },
      ),
    cursor,
  );

interface Creation {
  /** The first created links. */
  first: Link[];
  /** The cursor of the links after `first`. */
  cursor: string | undefined;
  /** The number of created links. Later links of the project follow them in the list. */
  count: number;
}

/** Yields the links that a request created. */
export async function* pagesOfCreated(
  services: Pick<Services, 'projects'>,
  project: ProjectRef,
  signal: AbortSignal,
  { first, cursor, count }: Creation,
): AsyncGenerator<Page<{ links: Link[] }>> {
  let left = count - first.length;
  const isWhole = cursor === undefined || left <= 0;
  yield { links: first, isLast: isWhole };
  if (isWhole) return;
  for await (const { uniqueLinks, isLast } of pagesOfLinks(services, project, signal, { cursor })) {
    const links = uniqueLinks.slice(0, left);
    left -= links.length;
    yield { links, isLast: isLast || left <= 0 };
    if (left <= 0) return;
  }
}
