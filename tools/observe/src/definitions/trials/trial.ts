import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { ruleGroups } from '../rules.ts';
import { timeOf } from '../time.ts';
import { FAULT_AT, FAULT_END, SAMPLE, type SoonTrial } from './soon.ts';

/** Series by their names with labels; values in promtool's notation, one per minute: `0+60x120`, `5x10`, `_x3`. */
export type Series = Readonly<Record<string, string>>;

/** An input of the rules, and exactly the alerts that fire on it. */
export interface Trial {
  name: string;
  /** Series that replace or extend the series of a healthy system; an empty value removes one. */
  series: Series;
  /** The time of the check, in minutes. */
  minutes: number;
  /** True to use the rules of drills, where a minute lasts a second. */
  isDrill?: boolean;
  /** Names, or `NAME severity` if an alert has several. */
  fires: readonly string[];
  /** The only objective whose rules run, every five minutes: for trials of several days. */
  days?: string;
}

/** Returns two trials over the same minutes. On the first series, the alert `fires` must fire; on the second, none. */
export const pair = (fires: string, minutes: number, bad: Series, well: Series): Trial[] => [
  { name: `${fires} fires`, series: bad, minutes, fires: [fires] },
  { name: `${fires} does not`, series: well, minutes, fires: [] },
];

const LIMIT_MS = 300_000;
/** A page must end within this many seconds after its fault: the window of a rate, plus the window of evidence. */
const OVER_WITHIN = 240;
const FOREVER = 'x10000';
const SERVICES = ['gateway', 'projects', 'submissions', 'media', 'transcription', 'webhooks'];

/** The series of a healthy, idle system. */
const WELL: Series = Object.fromEntries([
  ['up{job="recording-request"}', `1${FOREVER}`],
  ['up{job="collector"}', `1${FOREVER}`],
  ...SERVICES.map(job => [`process_memory_usage_bytes{job="${job}",instance="a"}`, `100${FOREVER}`]),
]);

/** Returns the series of a histogram with `perMinute` values a minute for `minutes`, distributed over the buckets. */
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

/** Removes the values after the check, because promtool would store them all. */
const until = (values: string, minutes: number): string =>
  values.replace(/x(\d+)$/, (_, more) => `x${Math.min(Number(more), minutes + 10)}`);

/** Runs trials over the rules with promtool. Fails with promtool's output. */
export async function runTrials(promtool: string, trials: readonly Trial[]): Promise<void> {
  const files: Record<string, object> = {};
  const byRules = Map.groupBy(trials, ({ days, isDrill }) => days ?? (isDrill ? 'drill' : 'all'));
  for (const [name, some] of byRules) {
    const [{ days, isDrill = false }] = some as [Trial];
    const rules = `${name}.rules.yaml`;
    files[rules] = { groups: groupsFor(days, isDrill) };
    files[`${name}.yaml`] = documentOf(rules, { every: days ? 5 : 1, isDrill }, some);
  }
  await promtoolTest(promtool, files);
}

/**
 * Runs a trial of each fault over all rules with promtool: the alert must fire while the fault lasts, and end soon after
 * it, or must never fire.
 */
export async function runSoonTrials(promtool: string, trials: readonly SoonTrial[]): Promise<void> {
  const firing = (alert: string, at: number, isFiring: boolean) => ({
    expr: `group by (alertname) (ALERTS{alertname="${alert}", alertstate="firing"})`,
    eval_time: `${at}s`,
    exp_samples: isFiring ? [{ labels: `{alertname="${alert}"}`, value: 1 }] : [],
  });
  const silent = (alert: string) => ({
    expr: `max_over_time(ALERTS{alertname="${alert}", alertstate="firing"}[1h])`,
    eval_time: `${FAULT_END + OVER_WITHIN}s`,
    exp_samples: [],
  });
  await promtoolTest(promtool, {
    'rules.yaml': { groups: groupsFor(undefined, false) },
    'trials.yaml': {
      rule_files: ['rules.yaml'],
      evaluation_interval: `${SAMPLE}s`,
      tests: trials.map(({ alert, what, series, within, never }) => ({
        name: `${alert}: ${what}`,
        interval: `${SAMPLE}s`,
        input_series: Object.entries({ ...WELL, ...series }).map(([of, values]) => ({
          series: of,
          values: until(values, FAULT_END),
        })),
        promql_expr_test:
          within === undefined
            ? [silent(alert)]
            : [
                firing(alert, FAULT_AT - SAMPLE, false),
                firing(alert, FAULT_AT + within, true),
                firing(alert, FAULT_END - SAMPLE, true),
                firing(alert, FAULT_END + OVER_WITHIN, false),
                ...(never ? [silent(never)] : []),
              ],
      })),
    },
  });
}

/** Writes the files to a new folder, and runs promtool on the test files among them. Fails with promtool's output. */
export async function promtoolTest(promtool: string, files: Readonly<Record<string, object>>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-rules-'));
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(join(dir, name), stringify(content));
    const names = Object.keys(files).filter(name => !name.endsWith('rules.yaml'));
    // With Go's default of 100, collecting garbage takes a fifth of the processor time.
    const env = { ...process.env, GOGC: '400' };
    await promisify(execFile)(promtool, ['test', 'rules', ...names], { cwd: dir, env, timeout: LIMIT_MS });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${stdout}${stderr}` || String(error), { cause: error });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Returns all rules, or the rules of one objective, because three days of all rules take minutes. */
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
