import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { ruleFiles } from '../rules.ts';
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
  /** Names, or `NAME severity` where an alert has several. */
  fires: readonly string[];
  /** How often the rules are evaluated, in minutes; 1 unless said. Days of minutes take minutes. */
  every?: number;
}

const LIMIT_MS = 120_000;
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

/** Runs trials by promtool over the rules. Fails with what promtool says. */
export async function runTrials(promtool: string, trials: readonly Trial[]): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-rules-'));
  try {
    const files = ruleFiles({ time: timeOf(1), runbooks: 'runbooks' });
    for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
    const documents = Map.groupBy(trials, ({ every = 1 }) => every);
    for (const [every, some] of documents)
      await writeFile(join(dir, `every-${every}.yaml`), stringify(documentOf(Object.keys(files), every, some)));
    const names = [...documents.keys()].map(every => `every-${every}.yaml`);
    await promisify(execFile)(promtool, ['test', 'rules', ...names], { cwd: dir, timeout: LIMIT_MS });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${stdout}${stderr}` || String(error), { cause: error });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const documentOf = (files: readonly string[], every: number, trials: readonly Trial[]) => ({
  rule_files: files,
  evaluation_interval: `${every}m`,
  tests: trials.map(({ name, series, minutes, fires }) => ({
    name,
    interval: '1m',
    input_series: Object.entries({ ...WELL, ...series })
      .filter(([, values]) => values !== '')
      .map(([of, values]) => ({ series: of, values })),
    promql_expr_test: [
      {
        expr: 'group by (alertname, severity) (ALERTS{alertstate="firing"})',
        eval_time: `${minutes}m`,
        exp_samples: fires.map(fired => {
          const [alertname, severity] = fired.split(' ');
          return { labels: `{alertname="${alertname}", severity="${severity}"}`, value: 1 };
        }),
      },
    ],
  })),
});
