import { readRunbooks } from '@recording-request/observe/definitions/runbooks';
import type { Time } from '@recording-request/observe/definitions/time';

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const WINDOW = /\[(\d+)([smhd])\]/g;
/** With a shorter window, a rate may have too few samples. */
const LEAST_SECONDS = 5;

export interface RunbookQuery {
  /** The name of a file of docs/runbooks, without `.md`. */
  runbook: string;
  /** Matches the query. If it matches several, the first one counts. */
  query: RegExp;
}

/** Returns the first query of a runbook that matches, with divided windows. Fails if there is none. */
export async function runbookQuery({ runbook, query }: RunbookQuery, time: Pick<Time, 'window'>): Promise<string> {
  const found = (await readRunbooks()).find(({ name }) => name === runbook)?.queries.find(text => query.test(text));
  if (!found) throw new Error(`The runbook ${runbook} has no query that matches ${query}.`);
  return found.replaceAll(
    WINDOW,
    (_, count: string, unit: string) => `[${time.window(Number(count) * SECONDS[unit]!, LEAST_SECONDS)}]`,
  );
}
