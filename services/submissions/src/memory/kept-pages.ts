import { createStampCache, type StampCache } from '@recording-request/kit/stamp-cache';
import type { ListSubmissionsResponse } from '@recording-request/proto/submissions/v1/submissions';

export type KeptPages = StampCache<ListSubmissionsResponse>;

// So long at most are the texts of an erased clip in memory where nobody asks for its page again.
const AGE_MS = 60_000;

/** Returns what keeps pages as they are sent, until something of their project changes: an owner asks for the same ones again and again. */
export const createKeptPages = (maxBytes: number): KeptPages =>
  createStampCache({ maxAgeMs: AGE_MS, bytes: { max: maxBytes, of: ({ pageJson }) => pageJson?.length ?? 0 } });
