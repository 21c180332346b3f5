import { createStampCache, type StampCache } from '@recording-request/kit/stamp-cache';
import type { ListSubmissionsResponse } from '@recording-request/proto/submissions/v1/submissions';

export type PageCache = StampCache<ListSubmissionsResponse>;

// The cache drops a page after this time, so that the texts of an erased clip do not stay in memory if no client
// requests the page again.
const AGE_MS = 60_000;

/** Caches pages in the form in which they are sent, until their project changes. */
export const createPageCache = (maxBytes: number): PageCache =>
  createStampCache({ maxAgeMs: AGE_MS, bytes: { max: maxBytes, of: ({ pageJson }) => pageJson?.length ?? 0 } });
