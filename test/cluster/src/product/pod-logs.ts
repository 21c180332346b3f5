import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from '@recording-request/k8s/lab/place';

/** Matches a log line whose level is error or higher. */
const ERROR = /"level":(?:50|60|"error"|"fatal")/;

/** Returns the errors about `what` in a container's log from `since` on. Each line of a node's log begins with its time. */
export const errorsIn = (log: string, what: RegExp, since: Date): string[] =>
  log.split('\n').filter(line => ERROR.test(line) && what.test(line) && timeOf(line) >= since.getTime());

/** Returns the time at the beginning of a line; infinity if there is none, so that such a line counts as recent. */
function timeOf(line: string): number {
  const [time = ''] = line.split(' ', 1);
  const at = Date.parse(time);
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at;
}

/**
 * Resolves to the errors about `what` since then, by pod. Includes the logs of deleted pods. Rejects when there is no
 * log at all.
 */
export async function errorsOfPods(
  { logs }: Pick<Place, 'logs'>,
  namespace: string,
  what: RegExp,
  since: Date,
): Promise<Map<string, string[]>> {
  const folder = join(logs, 'pods');
  const names = (await readdir(folder, { recursive: true })).filter(
    name => name.startsWith(`${namespace}_`) && name.endsWith('.log'),
  );
  if (names.length === 0) throw new Error(`${folder} has no log of a pod of ${namespace}`);
  const found = new Map<string, string[]>();
  for (const name of names) {
    const errors = errorsIn(await readFile(join(folder, name), 'utf8'), what, since);
    const [, pod = name] = name.split('_');
    if (errors.length > 0) found.set(pod, [...(found.get(pod) ?? []), ...errors]);
  }
  return found;
}
