import { createFairSlots } from '@recording-request/kit/fair-slots';
import type { ListSubmissionsRequest } from '@recording-request/proto/submissions/v1/submissions';
import { createPageCache } from '../src/memory/page-cache.ts';
import { type ListContext, listSubmissions } from '../src/rpc/clips/list-submissions.ts';

/** Returns the list method for a caller that does not cancel, with at most `searchesAtOnce` concurrent searches. */
export function listing(
  submissions: ListContext['submissions'],
  searchesAtOnce: number,
  projects: ListContext['projects'] = { getInvitations: () => Promise.reject(new Error('nobody is invited')) },
) {
  const kept = { searches: createFairSlots(searchesAtOnce), pages: createPageCache(1_000_000) };
  const list = listSubmissions({ submissions, projects, lists: createFairSlots(100), ...kept });
  const { signal } = new AbortController();
  return (request: ListSubmissionsRequest) => list(request, { signal });
}
