import { Prometheus } from '@recording-request/harness/prometheus';
import { DASHBOARDS } from './dashboards/all.ts';
import { ruleGroups } from './rules.ts';
import { readRunbooks } from './runbooks.ts';
import { timeOf } from './time.ts';

/** A query and its place. */
export interface Asked {
  where: string;
  expr: string;
}

const LIMIT_MS = 20_000;
const STEP_SECONDS = 5;

export const dashboardQueries = (): Asked[] =>
  DASHBOARDS.flatMap(({ title: dashboard, panels }) =>
    panels.flatMap(({ title, queries }) => queries.map(({ expr }) => ({ where: `${dashboard}: ${title}`, expr }))),
  );

export const runbookQueries = async (): Promise<Asked[]> =>
  (await readRunbooks()).flatMap(({ name, queries }) => queries.map(expr => ({ where: `runbook ${name}`, expr })));

/** Every recording rule, by its name and labels. */
export const recordedSeries = (): Asked[] =>
  Object.values(ruleGroups({ time: timeOf(1), runbooks: '' }))
    .flat()
    .flatMap(({ rules }) => rules)
    .flatMap(rule => {
      if (!('record' in rule)) return [];
      const labels = Object.entries(rule.labels ?? {}).map(([name, value]) => `${name}="${value}"`);
      return [{ where: 'recording rule', expr: `${rule.record}{${labels.join(', ')}}` }];
    });

/** Returns the queries without a figure since `start` (of Date.now()). Rejects when Prometheus does not accept one of them. */
export async function withoutData(prometheusUrl: string, asked: readonly Asked[], start: number): Promise<Asked[]> {
  const empty: Asked[] = [];
  for (const each of asked) if (!(await hasData(prometheusUrl, each, start))) empty.push(each);
  return empty;
}

async function hasData(prometheusUrl: string, { where, expr }: Asked, start: number): Promise<boolean> {
  const span = { start: start / 1_000, end: Date.now() / 1_000, stepSeconds: STEP_SECONDS };
  const series = await new Prometheus(prometheusUrl).range(expr, span).catch(error => {
    throw new Error(`${where}: ${error.message}\n${expr}`);
  });
  return series.some(({ points }) => points.some(([, value]) => Number.isFinite(value)));
}

/** Sends firing alerts to Alertmanager, as Prometheus would. Rejects when Alertmanager refuses them. */
export async function sendAlerts(alertmanagerUrl: string, alerts: readonly Record<string, string>[]): Promise<void> {
  const answer = await fetch(`${alertmanagerUrl}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(alerts.map(labels => ({ labels }))),
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  if (!answer.ok) throw new Error(`Alertmanager returned ${answer.status}: ${await answer.text()}`);
}

/**
 * Returns the names of the alerts that `label` selects, in two lists: the alerts that an explaining alert silences, and
 * the others.
 */
export async function quietAndLoud(
  alertmanagerUrl: string,
  label: string,
): Promise<{ quiet: string[]; loud: string[] }> {
  const url = `${alertmanagerUrl}/api/v2/alerts?${new URLSearchParams({ filter: label })}`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });
  const alerts = (await answer.json()) as { labels: Record<string, string>; status: { inhibitedBy: string[] } }[];
  const names = (isQuiet: boolean) =>
    alerts
      .filter(({ status }) => status.inhibitedBy.length > 0 === isQuiet)
      .map(({ labels }) => `${labels.alertname} ${labels.severity}`)
      .sort();
  return { quiet: names(true), loud: names(false) };
}
