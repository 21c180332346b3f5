import type { RuleAlert } from '@recording-request/harness/prometheus';
import { type Html, html } from '@recording-request/web-shared/html';

/** An alert as the page shows it. */
export interface AlertRow {
  name: string;
  severity: string;
  state: 'firing' | 'pending' | 'quiet';
  summary: string;
  since: string;
  /** The name of its page in docs/runbooks. */
  runbook: string | undefined;
  /** Its labels except name and severity. */
  about: string;
}

export interface ManagedAlert {
  labels: Record<string, string>;
  status: { state: string };
}

const LIMIT_MS = 10_000;
const ORDER = ['firing', 'pending', 'quiet'];
const WORDS = { firing: 'firing', pending: 'pending', quiet: 'silenced: another alert explains it' };

/**
 * Returns the silenced alerts: another alert explains them, or an operator silenced them. Returns none while
 * Alertmanager does not respond.
 */
export async function quietAlerts(alertmanagerUrl: string): Promise<ManagedAlert[]> {
  const url = `${alertmanagerUrl}/api/v2/alerts?active=false&inhibited=true&silenced=true`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) }).catch(() => undefined);
  return answer?.ok ? ((await answer.json()) as ManagedAlert[]) : [];
}

/** Returns the alerts in reading order: firing first, pages before tickets. */
export function alertRows(alerts: RuleAlert[], quiet: ManagedAlert[]): AlertRow[] {
  const quieted = new Set(
    quiet.filter(({ status }) => status.state === 'suppressed').map(({ labels }) => keyOf(labels)),
  );
  return alerts
    .map(({ state, activeAt, labels, annotations }): AlertRow => {
      const { alertname: name = 'alert', severity = '', ...others } = labels;
      return {
        name,
        severity,
        state: state === 'firing' && quieted.has(keyOf(labels)) ? 'quiet' : state,
        summary: annotations.summary ?? annotations.description ?? '',
        since: activeAt,
        runbook: /([\w-]+)\.md(?:#.*)?$/.exec(annotations.runbook_url ?? annotations.runbook ?? '')?.[1],
        about: Object.values(others).join(', '),
      };
    })
    .sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || a.severity.localeCompare(b.severity));
}

const keyOf = (labels: Record<string, string>) => JSON.stringify(Object.entries(labels).sort());

export function renderAlerts(rows: AlertRow[]): Html {
  if (rows.length === 0) return html`<p class="empty ok">No alert fires.</p>`;
  const row = ({ name, severity, state, summary, since, runbook, about }: AlertRow) =>
    html`<tr><th scope="row"><span class="tag ${state}">${severity || 'alert'} ${WORDS[state]}</span></th><td><strong>${name}</strong>${about ? html` <span class="soft">${about}</span>` : null}<br>${summary}</td><td>since ${since.slice(11, 19)} UTC</td><td>${runbook ? html`<a href="/runbooks/${runbook}">Runbook of ${name}</a>` : null}</td></tr>`;
  return html`<div class="scroll"><table><thead class="hidden-text"><tr><th scope="col">State</th><th scope="col">Alert</th><th scope="col">Since</th><th scope="col">Runbook</th></tr></thead><tbody>${rows.map(row)}</tbody></table></div>`;
}
