import { upTo } from './alert.ts';

/** A promise to users, as a share of events that keep it. */
export interface Objective {
  /** The value of the labels `objective` and `recording_step`. */
  name: string;
  /** The name of its alerts and of their runbook. */
  alert: string;
  title: string;
  /** The promise in a sentence. */
  promise: string;
  /** The share of events that must be good over 30 days. */
  target: number;
  /** Returns the rates of bad events and of all events, over a PromQL window. */
  bad: (window: string) => string;
  all: (window: string) => string;
  /** Returns a condition that holds while the promise is broken: requests fail, or work waits for longer than promised. */
  brokenNow: (window: string) => string;
}

const rate = (series: string, window: string) => `(sum(rate(${series}[${window}])) or vector(0))`;

/**
 * A promise about a histogram. An event that `counts` selects keeps the promise if `good` also selects it and it took
 * at most `seconds`.
 */
function within(metric: string, seconds: number, { counts = '', good = '' } = {}): Pick<Objective, 'bad' | 'all'> {
  const all = (window: string) => rate(`${metric}_count${counts && `{${counts}}`}`, window);
  return {
    all,
    bad: window =>
      `${all(window)} - ${rate(`${metric}_bucket{${[good, upTo(seconds)].filter(Boolean).join(', ')}}`, window)}`,
  };
}

// Ignores unusable clips: otherwise, an owner's contributors could wake an engineer.
const CLIP = { counts: 'recording_outcome!="unusable"', good: 'recording_outcome="ok"' };

/** Holds while the oldest work of a step waits for longer than `seconds`. */
const waitsLonger = (step: 'media' | 'transcript', seconds: number) => ({
  brokenNow: () => `max(recording_step_age_seconds{recording_step="${step}"}) > ${seconds}`,
});

/** Holds while events break the promise. Without such events, a difference of rates may still be a little above 0. */
const failsNow = (bad: Objective['bad']) => ({ bad, brokenNow: (window: string) => `${bad(window)} > 0.001` });

const CONTRIBUTOR = 'job="gateway", http_route=~"/r/.*"';
const LANDING = 'recording_landing_duration_seconds';
// Excludes routes that stream files, because they take as long as the owner's connection needs.
const READ =
  'job="gateway", http_request_method="GET", http_route=~"/api/(me|projects).*", http_route!~".*(export|video|audio|thumb|media|qr).*"';
const HTTP = 'http_server_request_duration_seconds';

export const OBJECTIVES: readonly Objective[] = [
  {
    name: 'landing',
    alert: 'LandingBudgetBurns',
    title: 'Contributors’ requests succeed, and takes land',
    promise: 'A contributor’s request gets no 5xx, and a complete upload becomes a clip, or is refused, within 10 s.',
    target: 0.999,
    all: window =>
      `${rate(`${HTTP}_count{${CONTRIBUTOR}}`, window)} + ${rate(`${LANDING}_count{recording_end!="lost"}`, window)}`,
    ...failsNow(
      window =>
        `${rate(`${HTTP}_count{${CONTRIBUTOR}, http_response_status_code=~"5.."}`, window)} + ${rate(`${LANDING}_count{recording_end!="lost"}`, window)} - ${rate(`${LANDING}_bucket{recording_end=~"landed|refused", ${upTo(10)}}`, window)}`,
    ),
  },
  {
    name: 'media',
    alert: 'MediaBudgetBurns',
    title: 'Thumbnails and audio arrive in time',
    promise: 'A clip has its thumbnails and audio within a minute of its landing.',
    target: 0.99,
    ...within('recording_media_delay_seconds', 60, CLIP),
    ...waitsLonger('media', 60),
  },
  {
    name: 'transcript',
    alert: 'TranscriptBudgetBurns',
    title: 'Transcripts arrive in time',
    promise: 'A clip has its transcript within five minutes of its landing.',
    target: 0.99,
    ...within('recording_transcript_delay_seconds', 300, CLIP),
    ...waitsLonger('transcript', 300),
  },
  {
    name: 'webhook',
    alert: 'WebhookBudgetBurns',
    title: 'Webhooks arrive in time',
    promise: 'The first attempt at an event begins within a minute, except while its endpoint fails or is busy.',
    target: 0.99,
    ...within('recording_webhook_delay_seconds', 60),
    // An owner with many slow endpoints can delay its own events.
    brokenNow: () =>
      `max(recording_step_age_seconds{recording_step="webhook"}) > 60 and on () max(recording_webhook_late) > 1`,
  },
  {
    name: 'owner-reads',
    alert: 'OwnerReadBudgetBurns',
    title: 'Owners’ reads succeed',
    promise: 'A GET of the owner’s API, except a download, returns within a second and without a 5xx.',
    target: 0.999,
    all: window => rate(`${HTTP}_count{${READ}}`, window),
    ...failsNow(
      window =>
        `${rate(`${HTTP}_count{${READ}}`, window)} - ${rate(`${HTTP}_bucket{${READ}, http_response_status_code!~"5..", ${upTo(1)}}`, window)}`,
    ),
  },
];
