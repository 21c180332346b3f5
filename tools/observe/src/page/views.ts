import { type Html, html } from '@recording-request/web-shared/html';
import { type AlertRow, renderAlerts } from './alerts.ts';
import { ALL, type Dashboard, type Variable } from './dashboard.ts';
import type { ClipTrace, Step, TraceSummary } from './traces.ts';
import { formatValue } from './units.ts';

const TIME = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
});
/** The time ranges that the user may choose, in seconds. */
export const RANGES: Record<string, number> = {
  '5 min': 300,
  '15 min': 900,
  '1 h': 3_600,
  '6 h': 21_600,
  '24 h': 86_400,
};
const LONG_WAIT_SECONDS = 1;

/** Renders the document around every view. */
export function renderDocument(title: string, live: Html, fixed?: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Observe</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/live.js"></script>
</head>
<body>
<a class="skip" href="#main">To the content</a>
<header>
<a class="name" href="/">Recording Request, observed</a>
<form action="/find" role="search">
<label class="hidden-text" for="id">Id of a clip, an upload or a project</label>
<input id="id" name="id" placeholder="Id of a clip, an upload or a project" autocomplete="off" spellcheck="false" required>
<button>Find trace</button>
</form>
<nav aria-label="Tools"><a href="/query">Query</a><a href="/docs/runbooks/README.md">Runbooks</a><a href="/zipkin/">All traces</a></nav>
<button id="pause" type="button" hidden>Pause</button>
<span id="stale" class="soft" role="status"></span>
</header>
<main id="main" tabindex="-1">
${fixed ?? null}
<div id="live">
${live}
</div>
</main>
</body>
</html>
`.text;
}

/**
 * Renders the first view: alerts, the newest clips and the dashboards. In place of a part, it may show a sentence with
 * a reason.
 */
export function renderHome(parts: {
  alerts: AlertRow[] | Html;
  clips: ClipTrace[] | Html;
  dashboards: Pick<Dashboard, 'uid' | 'title' | 'description'>[];
}): Html {
  const { alerts, clips, dashboards } = parts;
  return html`<h1 class="hidden-text">Overview</h1>
<section aria-labelledby="alerts"><h2 id="alerts">Alerts</h2>${Array.isArray(alerts) ? renderAlerts(alerts) : alerts}</section>
<section aria-labelledby="clips"><h2 id="clips">Newest clips</h2>${Array.isArray(clips) ? renderClips(clips) : clips}</section>
<section aria-labelledby="dashboards"><h2 id="dashboards">Dashboards</h2>${
    dashboards.length === 0
      ? html`<p class="empty">There is none in deploy/observability/dashboards.</p>`
      : html`<ul class="cards">${dashboards.map(
          ({ uid, title, description }) =>
            html`<li class="card"><a href="/dashboards/${encodeURIComponent(uid)}">${title}</a><p class="soft">${description}</p></li>`,
        )}</ul>`
  }</section>`;
}

/** Renders a sentence in place of unavailable data. */
export const renderFault = (error: unknown): Html =>
  html`<p class="fault" role="status">${error instanceof Error ? error.message : String(error)}</p>`;

export function renderClips(clips: ClipTrace[]): Html {
  if (clips.length === 0)
    return html`<p class="empty">No clip has landed yet. Record one through a recording link; its trace is here some seconds after it landed.</p>`;
  const row = ({ traceId, submissionId, landedAt, steps, missing }: ClipTrace) =>
    html`<tr><th scope="row"><a href="/zipkin/traces/${traceId}">Trace of <code>${submissionId ?? traceId}</code></a></th><td>${TIME.format(landedAt)}</td><td>${steps.map(renderStep)}${missing.map(name => html`<span class="tag soft">${name}: not ended, or not traced</span>`)}</td></tr>`;
  return html`<div class="scroll rows"><table><thead><tr><th scope="col">Clip</th><th scope="col">Landing ended (UTC)</th><th scope="col">Steps</th></tr></thead><tbody>${clips.map(row)}</tbody></table></div>`;
}

/** Renders each trace with its first span. */
export const renderTraces = (traces: TraceSummary[]): Html =>
  html`<div class="scroll rows"><table><thead><tr><th scope="col">Trace</th><th scope="col">Began (UTC)</th><th scope="col">Lasted</th></tr></thead><tbody>${traces.map(
    ({ traceId, name, startedAt, seconds, failed }) =>
      html`<tr><th scope="row"><a href="/zipkin/traces/${traceId}">${name}</a></th><td>${TIME.format(startedAt)}</td><td><span class="tag${failed ? ' failed' : ''}">${formatValue(seconds, 's')}${failed ? ', with an error' : ''}</span></td></tr>`,
  )}</tbody></table></div>`;

function renderStep({ name, seconds, waitedSeconds, failed }: Step): Html {
  const waited = waitedSeconds > LONG_WAIT_SECONDS ? ` after ${formatValue(waitedSeconds, 's')}` : '';
  return html`<span class="tag${failed ? ' failed' : ''}">${name} ${formatValue(seconds, 's')}${waited}${failed ? ', failed' : ''}</span>`;
}

/** Renders the frame of a dashboard: its title and choices. */
export function renderDashboardBar(
  dashboard: Dashboard,
  all: Pick<Dashboard, 'uid' | 'title'>[],
  choices: Record<string, string[]>,
  seconds: number,
): Html {
  const { title, description, variables } = dashboard;
  const link = ({ uid, title: words }: Pick<Dashboard, 'uid' | 'title'>) =>
    html`<a href="/dashboards/${encodeURIComponent(uid)}"${uid === dashboard.uid ? html` aria-current="page"` : null}>${words}</a>`;
  return html`<nav class="bar" aria-label="Dashboards">${all.map(link)}</nav>
<h1>${title}</h1>
${description ? html`<p class="soft">${description}</p>` : null}
<form class="bar">
<label>Last <select name="range">${options(Object.entries(RANGES), seconds)}</select></label>
${variables
  .filter(({ name }) => (choices[name] ?? []).length > 1)
  .map(
    variable =>
      html`<label>${variable.label} <select name="var-${variable.name}">${choose(variable, choices[variable.name]!)}</select></label>`,
  )}
<button>Show</button>
</form>`;
}

const options = (entries: [string, number][], chosen: number) => [
  ...(entries.some(([, value]) => value === chosen)
    ? []
    : [html`<option value="${chosen}" selected>${formatValue(chosen, 's')}</option>`]),
  ...entries.map(
    ([words, value]) => html`<option value="${value}"${value === chosen ? html` selected` : null}>${words}</option>`,
  ),
];

const choose = ({ chosen, includeAll }: Variable, values: string[]) =>
  [...(includeAll ? [ALL] : []), ...values].map(
    value =>
      html`<option value="${value}"${value === chosen ? html` selected` : null}>${value === ALL ? 'all' : value}</option>`,
  );

/** Renders the form of a custom query. */
export function renderQueryForm(expr: string, seconds: number): Html {
  return html`<h1>Query</h1>
<form>
<label for="expr">A query of Prometheus, such as those of the runbooks</label>
<textarea id="expr" name="expr" rows="4" spellcheck="false" required>${expr}</textarea>
<p class="bar"><label>Last <select name="range">${options(Object.entries(RANGES), seconds)}</select></label><button>Run</button></p>
</form>`;
}
