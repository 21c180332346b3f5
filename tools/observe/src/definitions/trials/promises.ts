import { OBJECTIVES } from '../objectives.ts';
import { histogram, pair, type Series, type Trial } from './trial.ts';

const DAY = 24 * 60;

const LATE = 'recording_webhook_late{job="webhooks",instance="a"}';
const step = (name: string, values: string): Series => ({
  [`recording_step_age_seconds{job="submissions",instance="a",recording_step="${name}"}`]: values,
});

/** Clips end without media. */
const failed = (fault: string): Series => ({
  [`recording_clips_failed_total{job="submissions",instance="a",recording_step="media",recording_fault="${fault}"}`]:
    '0x15 2x60',
});

const waits = (alert: string, name: string, limit: number) =>
  pair(`${alert} page`, 10, step(name, `${limit + 60}x30`), step(name, `${limit - 60}x30`));

/** Two trials of an alert on one gauge. */
const gauge = (alert: string, series: string, bad: number, well: number) =>
  pair(`${alert} ticket`, 15, { [series]: `${bad}x30` }, { [series]: `${well}x30` });

/** Returns the series of an objective while `share` of its events break it. */
type Seen = (share: number, minutes?: number, perMinute?: number) => Series;

/** The series of a delay. While events break the promise, work also waits in `waiting` for longer than promised. */
const delays =
  (metric: string, le: string, labels: string, waiting?: string): Seen =>
  (share, minutes = 5_000, perMinute = 10) => ({
    ...histogram(metric, labels, { perMinute, seconds: 30, shares: { [le]: 1 - share }, minutes }),
    ...(waiting && step(waiting, `${Number(le) + 10}x${minutes} 0x10000`)),
    ...(waiting === 'webhook' && { [LATE]: `2x${minutes} 0x10000` }),
  });

const SEEN: Readonly<Record<string, { budget: number; seen: Seen }>> = {
  LandingBudgetBurns: {
    budget: 0.001,
    seen: delays('recording_landing_duration_seconds', '10.0', 'job="submissions",instance="a",recording_end="landed"'),
  },
  MediaBudgetBurns: {
    budget: 0.01,
    seen: delays(
      'recording_media_delay_seconds',
      '60.0',
      'job="submissions",instance="a",recording_outcome="ok"',
      'media',
    ),
  },
  TranscriptBudgetBurns: {
    budget: 0.01,
    seen: delays(
      'recording_transcript_delay_seconds',
      '300.0',
      'job="submissions",instance="a",recording_outcome="ok"',
      'transcript',
    ),
  },
  WebhookBudgetBurns: {
    budget: 0.01,
    seen: delays('recording_webhook_delay_seconds', '60.0', 'job="webhooks",instance="a"', 'webhook'),
  },
  OwnerReadBudgetBurns: {
    budget: 0.001,
    seen: delays(
      'http_server_request_duration_seconds',
      '1.0',
      'job="gateway",instance="a",http_request_method="GET",http_route="/api/projects/{projectId}",http_response_status_code="200"',
    ),
  },
};

/** The four burn rates, each slightly exceeded at the end of its long window, with the more urgent alerts that fire too. */
function burns(alert: string, days: string, { budget, seen }: { budget: number; seen: Seen }): readonly Trial[] {
  const [page, ticket] = [`${alert} page`, `${alert} ticket`];
  const at = (burn: number, perMinute = 50) => seen(budget * burn, 5_000, perMinute);
  return [
    { name: `${alert}: 16 times pages within an hour`, series: at(16, 100), minutes: 65, fires: [page, ticket] },
    {
      name: `${alert}: 7 times pages within six hours`,
      series: at(7, 100),
      minutes: 6 * 60 + 10,
      days,
      fires: [page, ticket],
    },
    { name: `${alert}: 4 times is a ticket within a day`, series: at(4), minutes: DAY + 10, days, fires: [ticket] },
    {
      name: `${alert}: 1.2 times is a ticket within three days`,
      series: at(1.2),
      minutes: 3 * DAY + 10,
      days,
      fires: [ticket],
    },
    { name: `${alert}: half of the budget is no alert`, series: at(0.5), minutes: 3 * DAY + 10, days, fires: [] },
    { name: `${alert}: two in an hour are too few`, series: seen(1, 2, 1), minutes: 30, fires: [] },
    {
      name: `${alert}: no page soon after its end`,
      series: seen(1, 30),
      minutes: 33,
      fires: [ticket],
    },
  ];
}

const FAILS = 'job="gateway",instance="a",http_request_method="GET",http_route="/api/me"';
const CONTRIBUTES = 'job="gateway",instance="a",http_request_method="PATCH",http_route="/r/{token}/uploads/{uploadId}"';
const answers = (labels: string, status: number, perMinute: number, le: string) =>
  histogram('http_server_request_duration_seconds', `${labels},http_response_status_code="${status}"`, {
    perMinute,
    seconds: 0.1,
    shares: { [le]: 1 },
  });

/** The other kinds of bad events of an objective, in addition to late events. */
const KINDS: Readonly<Record<string, readonly Trial[]>> = {
  MediaBudgetBurns: [
    {
      name: 'the late clips of an outage that is over open a ticket',
      series: { ...SEEN.MediaBudgetBurns!.seen(1, 30), ...step('media', '0x10000') },
      minutes: 20,
      fires: ['MediaBudgetBurns ticket'],
    },
    {
      name: 'clips that cannot be used break no promise',
      series: {
        ...histogram('recording_media_delay_seconds', 'job="submissions",instance="a",recording_outcome="unusable"', {
          perMinute: 10,
          seconds: 5,
          shares: { '60.0': 1 },
        }),
        ...step('media', '70x10000'),
      },
      minutes: 65,
      fires: [],
    },
  ],
  LandingBudgetBurns: [
    {
      name: 'contributors get 503',
      series: { ...answers(CONTRIBUTES, 503, 3, '1.0'), ...answers(CONTRIBUTES, 204, 60, '1.0') },
      minutes: 65,
      fires: ['LandingBudgetBurns page', 'LandingBudgetBurns ticket'],
    },
    {
      name: 'a refused clip keeps the promise',
      series: { ...answers(CONTRIBUTES, 422, 60, '1.0') },
      minutes: 65,
      fires: [],
    },
    {
      name: 'landings are retried',
      series: histogram(
        'recording_landing_duration_seconds',
        'job="submissions",instance="a",recording_end="retried"',
        {
          perMinute: 2,
          seconds: 1,
          shares: { '10.0': 1 },
        },
      ),
      minutes: 65,
      fires: ['LandingBudgetBurns page', 'LandingBudgetBurns ticket'],
    },
  ],
  OwnerReadBudgetBurns: [
    {
      name: 'owners get 500 at once',
      series: { ...answers(FAILS, 500, 3, '1.0'), ...answers(FAILS, 200, 60, '1.0') },
      minutes: 65,
      fires: ['OwnerReadBudgetBurns page', 'OwnerReadBudgetBurns ticket'],
    },
    {
      name: 'a long download is no slow read',
      series: histogram(
        'http_server_request_duration_seconds',
        'job="gateway",instance="a",http_request_method="GET",http_route="/api/projects/{projectId}/export/project.zip",http_response_status_code="200"',
        { perMinute: 10, seconds: 100, shares: { '1.0': 0 } },
      ),
      minutes: 65,
      fires: [],
    },
  ],
};

/** For each alert about a promise, by its name: at least one broken promise, and one kept promise. */
export const PROMISE_TRIALS: Readonly<Record<string, readonly Trial[]>> = {
  LandingWaits: waits('LandingWaits', 'landing', 180),
  MediaWaits: waits('MediaWaits', 'media', 900),
  TranscriptWaits: waits('TranscriptWaits', 'transcript', 1_800),
  WebhookWaits: [
    ...pair(
      'WebhookWaits page',
      10,
      { ...step('webhook', '360x30'), [LATE]: '2x30' },
      { ...step('webhook', '240x30'), [LATE]: '2x30' },
    ).map(trial => ({ ...trial, fires: trial.fires.flatMap(fired => [fired, 'WebhookWaits ticket']) })),
    {
      name: 'one owner’s late events do not page',
      series: { ...step('webhook', '360x30'), [LATE]: '1x30' },
      minutes: 10,
      fires: ['WebhookWaits ticket'],
    },
  ],
  ClipsStuck: gauge('ClipsStuck', 'recording_clips_stuck{job="submissions",instance="a",recording_step="media"}', 2, 0),
  ClipsFailing: pair('ClipsFailing ticket', 30, failed('service'), failed('clip')),
  DeadLetters: gauge('DeadLetters', 'recording_dead_letters{job="submissions",instance="a"}', 1, 0),
  OutboxGrowing: gauge('OutboxGrowing', 'recording_outbox_depth{job="submissions",instance="a"}', 2_000, 100),
  ...Object.fromEntries(
    Object.entries(SEEN).map(([alert, seen]) => [
      alert,
      [...burns(alert, OBJECTIVES.find(objective => objective.alert === alert)!.name, seen), ...(KINDS[alert] ?? [])],
    ]),
  ),
};
