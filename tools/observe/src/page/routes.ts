import type { Prometheus } from '@recording-request/harness/prometheus';
import { html } from '@recording-request/web-shared/html';
import { alertRows, managedAlerts } from './alerts.ts';
import type { Answer } from './answer.ts';
import { type Dashboard, readDashboards, type Variable } from './dashboard.ts';
import { resolveNames, spanOf } from './expression.ts';
import { renderPanel } from './panel.ts';
import { clipsOf, summaryOf, type Traces } from './traces.ts';
import {
  renderClips,
  renderDashboardBar,
  renderDocument,
  renderFault,
  renderHome,
  renderQueryForm,
  renderTraces,
} from './views.ts';

/** The data sources of every page. */
export interface PageContext {
  prometheus: Prometheus;
  traces: Traces;
  alertmanagerUrl: string;
  dashboardsDir: string;
  repositoryDir: string;
  scrapeSeconds: number;
}

const NEWEST = 15;
const DAY_SECONDS = 86_400;
// A system on one machine has usually run only for minutes.
const RANGE_SECONDS = 900;
const ID = /^[0-9a-f-]{16,36}$/i;
const nowSeconds = () => Date.now() / 1000;

/** Shows alerts, the newest clips and the dashboards. In place of an unavailable part, it shows the reason. */
export async function homePage({ prometheus, traces, alertmanagerUrl, dashboardsDir }: PageContext): Promise<Answer> {
  const [alerts, clips, dashboards] = await Promise.all([
    Promise.all([prometheus.alerts(), managedAlerts(alertmanagerUrl)]).then(both => alertRows(...both), renderFault),
    traces.newestClips(NEWEST).catch(renderFault),
    readDashboards(dashboardsDir),
  ]);
  return { page: renderDocument('Overview', renderHome({ alerts, clips, dashboards })) };
}

/** Shows one dashboard, for the time range and the variables in the URL. */
export async function dashboardPage(uid: string, asked: URLSearchParams, context: PageContext): Promise<Answer> {
  const { prometheus, scrapeSeconds, dashboardsDir } = context;
  const dashboards = await readDashboards(dashboardsDir);
  const dashboard = dashboards.find(one => one.uid === uid);
  if (!dashboard) {
    const page = renderDocument('Not found', renderFault('There is no such dashboard.'));
    return { status: 404, page };
  }
  const seconds = secondsOf(asked);
  const span = spanOf(nowSeconds(), seconds);
  const choices = await choicesOf(dashboard, context);
  const variables = dashboard.variables.map(variable => chooseOne(variable, asked, choices[variable.name] ?? []));
  const panels = await Promise.all(
    dashboard.panels.map(panel => renderPanel(panel, { prometheus, variables, span, scrapeSeconds })),
  );
  const bar = renderDashboardBar({ ...dashboard, variables }, dashboards, choices, seconds);
  return {
    page: renderDocument(dashboard.title, html`<div class="grid">${panels}</div>`, bar),
  };
}

/** Returns the possible values of each variable; none if Prometheus knows none. */
async function choicesOf({ variables }: Dashboard, { prometheus }: PageContext): Promise<Record<string, string[]>> {
  const one = async ({ name, options }: Variable): Promise<[string, string[]]> => {
    if (Array.isArray(options)) return [name, options];
    // Replaces other variables in the selector by "all".
    const match = options.match?.replaceAll(/\$\{?\w+\}?/g, '.*');
    return [name, await prometheus.labelValues(options.label, match).catch(() => [])];
  };
  return Object.fromEntries(await Promise.all(variables.map(one)));
}

function chooseOne(variable: Variable, asked: URLSearchParams, values: string[]): Variable {
  const wish = asked.get(`var-${variable.name}`);
  const isKnown = wish !== null && (values.includes(wish) || (variable.includeAll && wish.startsWith('$')));
  return { ...variable, chosen: isKnown ? wish : variable.chosen || values[0] || '' };
}

/** Shows a custom query, as a chart and as figures. */
export async function queryPage(asked: URLSearchParams, context: PageContext): Promise<Answer> {
  const seconds = secondsOf(asked);
  const span = spanOf(nowSeconds(), seconds);
  const expr = resolveNames({ expr: (asked.get('expr') ?? '').trim() }, [], span, context.scrapeSeconds);
  const form = renderQueryForm(expr, seconds);
  if (!expr) return { page: renderDocument('Query', html``, form) };
  const panel = {
    ...{ id: 1, description: '', width: 24, unit: 'short', decimals: undefined, min: undefined, max: undefined },
    ...{ thresholds: [], hasThresholdLines: false, mappings: {}, stacked: false, runbooks: [], text: '' },
    targets: [{ expr, legend: '', exemplar: true }],
  };
  const parts = await Promise.all([
    renderPanel({ ...panel, kind: 'table', title: 'Now', width: 10 }, { ...context, variables: [], span }),
    renderPanel(
      { ...panel, id: 2, kind: 'timeseries', title: 'Over time', width: 14 },
      { ...context, variables: [], span },
    ),
  ]);
  return { page: renderDocument('Query', html`<div class="grid">${parts}</div>`, form) };
}

/** Redirects to the trace about an id if there is only one (for a clip, the trace of its landing), or lists the traces. */
export async function findTrace(wish: string, { traces }: PageContext): Promise<Answer> {
  const id = wish.trim().toLowerCase();
  const { traces: found, isClip } = ID.test(id) ? await traces.about(id, NEWEST) : { traces: [], isClip: false };
  const ids = [...new Set(found.flatMap(([span]) => (span ? [span.traceId] : [])))];
  if (ids.length === 1) return { location: `/zipkin/traces/${ids[0]}` };
  const clips = clipsOf(found);
  if (isClip && clips.length === 1) return { location: `/zipkin/traces/${clips[0]!.traceId}` };
  const others = found
    .flatMap(spans => summaryOf(spans) ?? [])
    .filter(({ traceId }) => !clips.some(clip => clip.traceId === traceId))
    .sort((a, b) => b.startedAt - a.startedAt);
  const list = html`<h1>Traces about <code>${id}</code></h1>
${
  ids.length === 0
    ? html`<p class="empty">There is none. The id may be mistyped, or its trace was not stored or is too old. A new trace appears after some seconds.</p>`
    : html`${clips.length > 0 ? renderClips(clips) : null}${others.length > 0 ? renderTraces(others) : null}`
}`;
  return { status: ids.length === 0 ? 404 : 200, page: renderDocument('Traces', list) };
}

function secondsOf(asked: URLSearchParams): number {
  const wish = Number(asked.get('range'));
  return Number.isInteger(wish) && wish >= 60 && wish <= 7 * DAY_SECONDS ? wish : RANGE_SECONDS;
}
