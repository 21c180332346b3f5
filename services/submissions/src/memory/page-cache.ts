import { createStampCache, type StampCache } from '@recording-request/kit/stamp-cache';
import type { ListSubmissionsResponse } from '@recording-request/proto/submissions/v1/submissions';

export type PageCache = StampCache<ListSubmissionsResponse>;

// Bounds how long the texts of an erased clip stay in memory if no one requests its page again.
const AGE_MS = 60_000;

/** Caches pages in the form they are sent, until their project changes. */
export const createPageCache = (maxBytes: number): PageCache =>
  createStampCache({ maxAgeMs: AGE_MS, bytes: { max: maxBytes, of: ({ pageJson }) => pageJson?.length ?? 0 } });
