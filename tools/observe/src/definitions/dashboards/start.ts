import { OBJECTIVES } from '../objectives.ts';
import { by, type Dashboard, figure, lines, orZero, rates, text } from './panel.ts';

const LEFT = 'recording:objective_budget_left:ratio30d';
const TARGETS = OBJECTIVES.map(({ title, target }) => `${title}: ${target * 100} %`).join(' · ');

/** The first dashboard to look at: broken promises, firing alerts, waiting and slow work. */
export const START: Dashboard = {
  name: 'start',
  title: 'Start here',
  description: 'Promises, firing alerts, waiting work and slow steps.',
  panels: [
    text(
      'How to read this',
      `From top to bottom: the promises to users with the rest of their budgets, firing alerts, waiting work, and slow servers. ${TARGETS}. If you have a clip’s id, see the runbook *A clip is late or stuck*.`,
    ),
    figure(
      'Rest of the budget of 30 days',
      'percentunit',
      [
        // The number of times is a label, because one panel has one unit.
        {
          expr: `0 * count_values by (objective) ("times", round(1 - (${LEFT} < 0), 0.1))`,
          legend: '{{objective}}: used up {{times}} times',
        },
        { expr: `${LEFT} >= 0`, legend: '{{objective}}' },
      ],
      'The share of failures that each promise still allows in 30 days. At 0, the promise is broken.',
      { warn: 0.5, bad: 0.001, lowIsBad: true, width: 12, height: 6, runbook: 'README' },
    ),
    figure(
      'Firing pages',
      'none',
      [{ expr: orZero('recording:firing_alerts:count{severity="page"}') }],
      'Without those that another alert explains.',
      { bad: 1, height: 6 },
    ),
    figure(
      'Firing tickets',
      'none',
      [{ expr: orZero('recording:firing_alerts:count{severity="ticket"}') }],
      'For a working day.',
      { warn: 1, height: 6 },
    ),
    lines(
      'Firing and pending alerts',
      'none',
      [
        {
          expr: orZero('count by (alertname, alertstate) (max without (severity, burn) (ALERTS))'),
          legend: '{{alertname}} {{alertstate}}',
        },
      ],
      'Each alert has a runbook of the same name. The burn rates of a promise count as one.',
      { runbook: 'README' },
    ),
    lines(
      'Broken promises within an hour',
      'percentunit',
      [{ expr: 'recording:objective_errors:ratio_rate1h', legend: '{{objective}}' }],
      'The share of events that broke each promise.',
      { bad: 0.0144 },
    ),
    lines(
      'The oldest waiting item',
      's',
      by('max', 'recording_step', 'recording_step_age_seconds'),
      'Other figures omit work that never ends. Pages from five minutes on for a landing or a webhook, fifteen for media, thirty for a transcript.',
      { warn: 300, bad: 900, runbook: 'ClipsStuck' },
    ),
    lines(
      'Servers that take more time than before',
      'suffix:s/s',
      // Rounding removes floating-point errors.
      [{ expr: 'clamp_min(round(recording:server_seconds_more:rate5m, 0.001), 0)', legend: '{{server}}' }],
      'Additional seconds per second for the same calls. The highest server is the slow step.',
      { runbook: 'which-step-is-slow' },
    ),
    lines(
      'Clips by state',
      'none',
      by('max', 'recording_clip_state', 'recording_clips'),
      '10,000 means 10,000 or more.',
    ),
    lines(
      'Ended uploads',
      'ops',
      rates('recording_end', 'recording_uploads_landed_total'),
      '`landed` became clips; `refused` returned the reason; `failed` are kept for the operator; `retried` are retried automatically.',
      { runbook: 'LandingWaits' },
    ),
    lines(
      'Stuck clips and dead letters',
      'none',
      [
        { expr: 'max by (recording_step) (recording_clips_stuck)', legend: '{{recording_step}}' },
        { expr: 'max(recording_dead_letters)', legend: 'dead letters' },
      ],
      'These need an operator.',
      { warn: 1, runbook: 'DeadLetters' },
    ),
    lines('Processes', 'none', by('count', 'job', 'process_memory_usage_bytes'), 'Running processes of each service.', {
      runbook: 'ServiceAway',
    }),
  ],
};
