import { LIMITS } from '@recording-request/contract/limits';
import type { ListLinksResponse } from '@recording-request/proto/projects/v1/projects';
import type { ProjectRef } from '../plugins/access-kinds.ts';
import { type Page, pagesOf } from './pages.ts';
import type { Services } from './services.ts';

const DEADLINE_MS = 30_000;

/** Yields the links of a project from `cursor` on; all links without a cursor. */
export const pagesOfLinks = (
  { projects }: Pick<Services, 'projects'>,
  { ownerId, projectId }: ProjectRef,
  signal: AbortSignal,
  cursor?: string,
): AsyncGenerator<Page<ListLinksResponse>> =>
  pagesOf(
    from =>
      projects.listLinks(
        { ownerId, projectId, pageSize: LIMITS.linkPageSize, cursor: from },
        { signal, deadlineMs: DEADLINE_MS },
      ),
    cursor,
  );
