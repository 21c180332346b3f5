import { OBJECTIVES } from '../objectives.ts';
import { type Dashboard, figure, lines, orZero, rateBy, text } from './panel.ts';

const TARGETS = OBJECTIVES.map(({ title, target }) => `${title}: ${target * 100} %`).join(' · ');

/** The first dashboard to look at: broken promises, firing alerts, waiting and slow work. */
export const START: Dashboard = {
  name: 'start',
  title: 'Start here',
  description: 'Are people served, what fires, what waits, and what is slow.',
  panels: [
    text(
      'How to read this',
      `Left to right: what people are promised and how much of its budget is left, what fires, what waits, where time is lost. ${TARGETS}. A clip’s id: see the runbook *A clip is late or stuck*.`,
    ),
    figure(
      'Budget left, of 30 days',
      'percentunit',
      [{ expr: 'recording:objective_budget_left:ratio30d', legend: '{{objective}}' }],
      'Of what each promise may break in 30 days. Below 0: the promise is broken.',
      { warn: 0.5, bad: 0, lowIsBad: true, width: 12, height: 6, runbook: 'README' },
    ),
    figure(
      'Pages that fire',
      'none',
      [{ expr: orZero('count(ALERTS{alertstate="firing", severity="page"})') }],
      'Also those that another one keeps quiet.',
      { bad: 1, height: 6 },
    ),
    figure(
      'Tickets that fire',
      'none',
      [{ expr: orZero('count(ALERTS{alertstate="firing", severity="ticket"})') }],
      'To be read on a working day.',
      { warn: 1, height: 6 },
    ),
    lines(
      'What fires, or is about to',
      'none',
      [{ expr: orZero('count by (alertname, alertstate) (ALERTS)'), legend: '{{alertname}} {{alertstate}}' }],
      'Each alert has a runbook of its name.',
      { runbook: 'README' },
    ),
    lines(
      'Promises broken, over an hour',
      'percentunit',
      [{ expr: 'recording:objective_errors:ratio_rate1h', legend: '{{objective}}' }],
      'The share of events that broke each promise.',
      { bad: 0.0144 },
    ),
    lines(
      'The oldest that waits',
      's',
      [{ expr: 'max by (recording_step) (recording_step_age_seconds)', legend: '{{recording_step}}' }],
      'What never ends is in no other figure. Five minutes of a landing or a webhook, fifteen of media, thirty of a transcript page somebody.',
      { warn: 300, bad: 900, runbook: 'ClipsStuck' },
    ),
    lines(
      'Where more time goes than before',
      's',
      [{ expr: 'recording:server_seconds_more:rate5m', legend: '{{server}}' }],
      'Seconds a second that each server costs more than the same calls did before. The highest is the step that is slow.',
      { runbook: 'which-step-is-slow' },
    ),
    lines(
      'Clips by their state',
      'none',
      [{ expr: 'max by (recording_clip_state) (recording_clips)', legend: '{{recording_clip_state}}' }],
      '10,000 means 10,000 or more.',
    ),
    lines(
      'Uploads that ended',
      'ops',
      [{ expr: rateBy('recording_end', 'recording_uploads_landed_total'), legend: '{{recording_end}}' }],
      '`landed` became clips; `refused` were told why; `failed` are kept for the operator; `retried` are tried again.',
      { runbook: 'LandingWaits' },
    ),
    lines(
      'Stuck clips and dead letters',
      'none',
      [
        { expr: 'max by (recording_step) (recording_clips_stuck)', legend: '{{recording_step}}' },
        { expr: 'max(recording_dead_letters)', legend: 'dead letters' },
      ],
      'What somebody has to look at.',
      { warn: 1, runbook: 'DeadLetters' },
    ),
    lines(
      'Processes',
      'none',
      [{ expr: 'count by (job) (process_memory_usage_bytes)', legend: '{{job}}' }],
      'That are there.',
      { runbook: 'ServiceAway' },
    ),
  ],
};
