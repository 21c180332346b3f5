import type { RunbookQuery } from './runbook-query.ts';

/** The steps for which a clip waits, as the runbook's query names them in the label `server`. */
export type Step = 'store' | 'database' | 'kafka' | 'speech' | 'endpoint' | 'ffmpeg';

/** The query that names the slow step. */
export const STEP_QUERY: RunbookQuery = {
  runbook: 'which-step-is-slow',
  query: /\brecording:server_seconds_more:rate5m\b/,
};
