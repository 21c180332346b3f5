import type { Exemplar, Prometheus, Series, Span } from '@recording-request/harness/prometheus';
import { type Html, html } from '@recording-request/web-shared/html';
import { chart, type Line } from './chart.ts';
import type { Panel, Target, Variable } from './dashboard.ts';
import { legendOf, resolveNames } from './expression.ts';
import { markdown } from './markdown.ts';
import { formatValue } from './units.ts';

/** The data sources of a panel. */
export interface PanelContext {
  prometheus: Prometheus;
  variables: Variable[];
  span: Span;
  scrapeSeconds: number;
}

const MAX_FIGURES = 12;
const MAX_EXEMPLARS = 40;
const NOTHING = 'Nothing in this time.';

/** Draws a panel. Never rejects: shows an error in its place. */
export async function renderPanel(panel: Panel, context: PanelContext): Promise<Html> {
  if (panel.kind === 'row') return html`<h2 class="row">${panel.title}</h2>`;
  const heading = `panel-${panel.id}`;
  const body = await bodyOf(panel, context).catch(
    (error: Error) => html`<p class="fault" role="status">${error.message}</p>`,
  );
  const columns = Math.max(4, panel.width);
  return html`<section class="panel w${columns}" aria-labelledby="${heading}">
<h3 id="${heading}">${panel.title}</h3>
${panel.description ? html`<div class="soft">${markdown(panel.description)}</div>` : null}
${body}
${footer(panel, context)}
</section>`;
}

function footer({ targets, runbooks }: Panel, context: PanelContext): Html | null {
  if (targets.length + runbooks.length === 0) return null;
  const query = (target: Target, index: number) => {
    const address = `/query?${new URLSearchParams({ expr: resolved(target, context) }).toString()}`;
    return html`<a href="${address}">query${targets.length > 1 ? ` ${index + 1}` : ''}</a> `;
  };
  return html`<p class="queries">${targets.map(query)}${runbooks.map(name => html`<a href="/docs/runbooks/${name}.md">${name === 'README' ? 'runbooks' : `runbook ${name}`}</a> `)}</p>`;
}

async function bodyOf(panel: Panel, context: PanelContext): Promise<Html> {
  switch (panel.kind) {
    case 'text':
      return markdown(panel.text);
    case 'timeseries':
      return lines(panel, context);
    case 'stat':
    case 'gauge':
    case 'bargauge':
      return figures(panel, context);
    case 'table':
      return table(await present(panel, context), panel);
    default:
      return html`<p class="empty">This page does not draw this kind of panel.</p>`;
  }
}

const resolved = (target: Target, { variables, span, scrapeSeconds }: PanelContext) =>
  resolveNames(target, variables, span, scrapeSeconds);

async function lines(panel: Panel, context: PanelContext): Promise<Html> {
  const { prometheus, span } = context;
  const each = panel.targets.map(async target =>
    named(target, await prometheus.range(resolved(target, context), span)),
  );
  const drawn = (await Promise.all(each)).flat().sort((a, b) => weightOf(b) - weightOf(a));
  if (drawn.length === 0) return html`<p class="empty">${NOTHING}</p>`;
  const withTraces = panel.targets.filter(({ exemplar }) => exemplar);
  // The traces are optional: a chart without them is still useful.
  const exemplars = await Promise.all(
    withTraces.map(target => prometheus.exemplars(resolved(target, context), span).catch((): Exemplar[] => [])),
  );
  const { unit, decimals, min, max, stacked, title } = panel;
  return chart(drawn, {
    ...{ title, span, unit, decimals, min, max, stacked },
    exemplars: exemplars.flat().slice(-MAX_EXEMPLARS),
    thresholds: panel.hasThresholdLines ? panel.thresholds.flatMap(({ value }) => value ?? []) : [],
  });
}

/** Returns the sort key of a line. The line with the largest one comes first. */
const weightOf = ({ points }: Line) => points.reduce((sum, [, value]) => sum + (Number.isFinite(value) ? value : 0), 0);

const named = ({ legend: words }: Target, found: Series[]): Line[] =>
  found.map(({ labels, points }) => ({ name: legendOf(words, labels), points }));

async function present(panel: Panel, context: PanelContext): Promise<Line[]> {
  const { prometheus, span } = context;
  const each = panel.targets.map(async target =>
    named(target, await prometheus.now(resolved(target, context), span.end)),
  );
  return (await Promise.all(each)).flat();
}

async function figures(panel: Panel, context: PanelContext): Promise<Html> {
  const found = await present(panel, context);
  if (found.length === 0) return html`<p class="empty">${NOTHING}</p>`;
  const { unit, decimals, mappings, thresholds } = panel;
  const figure = ({ name, points }: Line) => {
    const value = points.at(-1)?.[1] ?? Number.NaN;
    const colour = thresholds.findLast(step => step.value === undefined || value >= step.value)?.colour;
    const state = colour && /red|orange|yellow|green/.exec(colour)?.[0];
    const words = mappings[String(value)] ?? formatValue(value, unit, decimals);
    return html`<div class="figure${state ? ` ${state}` : ''}">${found.length > 1 ? html`<dt>${name}</dt>` : html`<dt class="hidden-text">${panel.title}</dt>`}<dd>${words}</dd></div>`;
  };
  return html`<dl class="figures">${found.slice(0, MAX_FIGURES).map(figure)}</dl>`;
}

/** Renders a table of names and present values. */
export function table(found: Line[], { unit, decimals }: Pick<Panel, 'unit' | 'decimals'>): Html {
  if (found.length === 0) return html`<p class="empty">${NOTHING}</p>`;
  const row = ({ name, points }: Line) =>
    html`<tr><th scope="row">${name}</th><td class="number">${formatValue(points.at(-1)?.[1] ?? Number.NaN, unit, decimals)}</td></tr>`;
  return html`<div class="scroll"><table><tbody>${found.map(row)}</tbody></table></div>`;
}
