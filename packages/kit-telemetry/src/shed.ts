import { countOf } from './metrics.ts';

export type ShedReason = 'rate' | 'connection' | 'busy' | 'upload' | 'video' | 'export' | 'list' | 'search';

const countShed = countOf('recording.requests.shed');

/** Counts a request that a limit refused. */
export const noteShed = (reason: ShedReason): void => countShed({ 'recording.reason': reason });
