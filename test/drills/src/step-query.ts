import { readFile } from 'node:fs/promises';

/** The steps for which a clip waits, as the runbook's query names them in the label `server`. */
export type Step = 'store' | 'database' | 'kafka' | 'speech' | 'endpoint' | 'ffmpeg';

const RUNBOOK = new URL('../../../docs/runbooks/which-step-is-slow.md', import.meta.url);

/** Returns the runbook's query that names the slow step. Fails if there is none. */
export async function stepQuery(): Promise<string> {
  const text = await readFile(RUNBOOK, 'utf8');
  const query = /^.*\brecording:server_seconds_more:rate5m\b.*$/m.exec(text)?.[0];
  if (!query) throw new Error(`No query of ${RUNBOOK.pathname} names the slow step.`);
  return query.trim();
}
