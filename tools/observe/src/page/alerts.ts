import type { RuleAlert } from '@recording-request/harness/prometheus';
import { type Html, html } from '@recording-request/web-shared/html';

/** An alert as the page shows it. */
export interface AlertRow {
  name: string;
  severity: string;
  state: 'firing' | 'pending' | 'over' | 'quiet';
  /** The state in words. */
  words: string;
  summary: string;
  since: string;
  /** The name of its page in docs/runbooks. */
  runbook: string | undefined;
  /** The labels that distinguish it from other alerts of its name. */
  subject: string;
}

/** An alert as Alertmanager reports it. */
export interface ManagedAlert {
  fingerprint: string;
  labels: Record<string, string>;
  status: { inhibitedBy: string[]; silencedBy: string[] };
}

const LIMIT_MS = 10_000;
const ORDER = ['firing', 'pending', 'over', 'quiet'];

/** Returns the alerts that Alertmanager knows; none while it does not respond. */
export async function managedAlerts(alertmanagerUrl: string): Promise<ManagedAlert[]> {
  const answer = await fetch(`${alertmanagerUrl}/api/v2/alerts`, { signal: AbortSignal.timeout(LIMIT_MS) }).catch(
    () => undefined,
  );
  return answer?.ok ? ((await answer.json()) as ManagedAlert[]) : [];
}

/**
 * Returns the alerts in reading order: firing first, pages before tickets. Returns only the most urgent alert of each
 * objective.
 */
export function alertRows(alerts: RuleAlert[], managed: ManagedAlert[]): AlertRow[] {
  const byLabels = new Map(managed.map(alert => [keyOf(alert.labels), alert]));
  const byPrint = new Map(managed.map(alert => [alert.fingerprint, alert]));
  const rows = alerts
    .map(alert => {
      const { inhibitedBy = [], silencedBy = [] } = byLabels.get(keyOf(alert.labels))?.status ?? {};
      const cause = byPrint.get(inhibitedBy[0] ?? '')?.labels.alertname ?? 'another alert';
      const silence = silencedBy.length > 0 ? 'silenced by an operator' : `quiet: ${cause} explains it`;
      return {
        row: rowOf(alert, inhibitedBy.length + silencedBy.length > 0 ? silence : undefined),
        burn: alert.labels.burn,
      };
    })
    .sort(
      (a, b) =>
        ORDER.indexOf(a.row.state) - ORDER.indexOf(b.row.state) ||
        a.row.severity.localeCompare(b.row.severity) ||
        Number(b.burn ?? 0) - Number(a.burn ?? 0),
    )
    .map(({ row }) => row);
  const subjects = rows.map(({ name, subject }) => `${name} ${subject}`);
  return rows.filter((_, index) => subjects.indexOf(subjects[index]!) === index);
}

function rowOf({ state, activeAt, heldUntil, labels, annotations }: RuleAlert, silence: string | undefined): AlertRow {
  const { alertname: name = 'alert', severity = '', about: _, burn: __, ...others } = labels;
  const row = {
    ...{ name, severity, since: activeAt, summary: annotations.summary ?? annotations.description ?? '' },
    runbook: /([\w-]+)\.md(?:#.*)?$/.exec(annotations.runbook_url ?? annotations.runbook ?? '')?.[1],
    subject: [...new Set(Object.values(others))].join(', '),
  };
  if (heldUntil) return { ...row, state: 'over', words: `over, held until ${timeOf(heldUntil)}` };
  if (state === 'firing' && silence) return { ...row, state: 'quiet', words: silence };
  return { ...row, state, words: state };
}

const keyOf = (labels: Record<string, string>) => JSON.stringify(Object.entries(labels).sort());
const timeOf = (iso: string) => `${iso.slice(11, 19)} UTC`;

export function renderAlerts(rows: AlertRow[]): Html {
  if (rows.length === 0) return html`<p class="empty ok">No alert fires.</p>`;
  const count = (kind: string) => {
    const firing = rows.filter(({ state, severity }) => state === 'firing' && severity === kind).length;
    return `${firing} ${kind}${firing === 1 ? '' : 's'}`;
  };
  const row = ({ name, severity, state, words, summary, since, runbook, subject }: AlertRow) =>
    html`<tr><th scope="row"><span class="tag ${state}">${severity || 'alert'} ${words}</span></th><td><strong>${name}</strong>${subject ? html` <span class="soft">${subject}</span>` : null}<br>${summary}</td><td>since ${timeOf(since)}</td><td>${runbook ? html`<a href="/docs/runbooks/${runbook}.md">Runbook of ${name}</a>` : null}</td></tr>`;
  const others = rows.filter(({ state }) => state !== 'firing').length;
  const rest = others === 0 ? '' : ` ${others} of the alerts below need no action now.`;
  return html`<p>${count('page')} and ${count('ticket')} fire.${rest}</p>
<div class="scroll rows"><table><thead class="hidden-text"><tr><th scope="col">State</th><th scope="col">Alert</th><th scope="col">Since</th><th scope="col">Runbook</th></tr></thead><tbody>${rows.map(row)}</tbody></table></div>`;
}
