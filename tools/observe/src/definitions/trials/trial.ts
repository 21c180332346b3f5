import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { ruleGroups } from '../rules.ts';
import { timeOf } from '../time.ts';

/** Series by their names with labels; values in promtool's notation, one a minute: `0+60x120`, `5x10`, `_x3`. */
export type Series = Readonly<Record<string, string>>;

/** Something that is given to the rules, and which alerts fire then, and no others. */
export interface Trial {
  name: string;
  /** These stand beside those of a system that is well, or in their place; an empty value takes one away. */
  series: Series;
  /** When it is looked at, in minutes. */
  minutes: number;
  /** The rules are those of drills, where a minute lasts for a second. */
  isDrill?: boolean;
  /** Names, or `NAME severity` where an alert has several. */
  fires: readonly string[];
  /** The objective whose rules alone are tried, every five minutes: for trials that last for days. */
  days?: string;
}

const LIMIT_MS = 300_000;
const FOREVER = 'x10000';
const SERVICES = ['gateway', 'projects', 'submissions', 'media', 'transcription', 'webhooks'];

/** What is there while all is well and nobody does anything. */
const WELL: Series = Object.fromEntries([
  ['up{job="recording-request"}', `1${FOREVER}`],
  ['up{job="collector"}', `1${FOREVER}`],
  ...SERVICES.map(job => [`process_memory_usage_bytes{job="${job}",instance="a"}`, `100${FOREVER}`]),
]);

/** Series of a histogram that gets `perMinute` values a minute for `minutes`, of which each bucket has its share. */
export function histogram(
  metric: string,
  labels: string,
  {
    perMinute,
    seconds,
    shares,
    minutes = 10_000,
  }: { perMinute: number; seconds: number; shares: Record<string, number>; minutes?: number },
): Record<string, string> {
  const grows = (by: number) => `0+${by}x${minutes}`;
  const buckets = Object.entries({ ...shares, '+Inf': 1 }).map(([le, share]) => [
    `${metric}_bucket{${labels},le="${le}"}`,
    grows(perMinute * share),
  ]);
  return Object.fromEntries([
    ...buckets,
    [`${metric}_count{${labels}}`, grows(perMinute)],
    [`${metric}_sum{${labels}}`, grows(perMinute * seconds)],
  ]);
}

/** Not more values than are looked at: promtool would store them all. */
const until = (values: string, minutes: number): string =>
  values.replace(/x(\d+)$/, (_, more) => `x${Math.min(Number(more), minutes + 10)}`);

/** Runs trials by promtool over the rules. Fails with what promtool says. */
export async function runTrials(promtool: string, trials: readonly Trial[]): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-rules-'));
  try {
    const byRules = Map.groupBy(trials, ({ days, isDrill }) => days ?? (isDrill ? 'drill' : 'all'));
    for (const [name, some] of byRules) {
      const [{ days, isDrill = false }] = some as [Trial];
      const rules = `${name}.rules.yaml`;
      await writeFile(join(dir, rules), stringify({ groups: groupsFor(days, isDrill) }));
      await writeFile(join(dir, `${name}.yaml`), stringify(documentOf(rules, { every: days ? 5 : 1, isDrill }, some)));
    }
    const names = [...byRules.keys()].map(name => `${name}.yaml`);
    await promisify(execFile)(promtool, ['test', 'rules', ...names], { cwd: dir, timeout: LIMIT_MS });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${stdout}${stderr}` || String(error), { cause: error });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** All rules, or those of one objective: three days of all of them take minutes. */
const groupsFor = (objective: string | undefined, isDrill: boolean) =>
  Object.values(ruleGroups({ time: timeOf(isDrill ? 60 : 1), runbooks: 'runbooks' }))
    .flat()
    .map(group => ({
      ...group,
      rules: group.rules.filter(rule => objective === undefined || rule.labels?.objective === objective),
    }))
    .filter(({ rules }) => rules.length > 0);

const documentOf = (
  rules: string,
  { every, isDrill }: { every: number; isDrill: boolean },
  trials: readonly Trial[],
) => ({
  rule_files: [rules],
  evaluation_interval: isDrill ? `${every}s` : `${every}m`,
  tests: trials.map(({ name, series, minutes, fires }) => ({
    name,
    interval: isDrill ? '1s' : '1m',
    input_series: Object.entries({ ...WELL, ...series })
      .filter(([, values]) => values !== '')
      .map(([of, values]) => ({ series: of, values: until(values, minutes) })),
    promql_expr_test: [
      {
        expr: 'group by (alertname, severity) (ALERTS{alertstate="firing"})',
        eval_time: isDrill ? `${minutes}s` : `${minutes}m`,
        exp_samples: fires.map(fired => {
          const [alertname, severity] = fired.split(' ');
          return { labels: `{alertname="${alertname}", severity="${severity}"}`, value: 1 };
        }),
      },
    ],
  })),
});
