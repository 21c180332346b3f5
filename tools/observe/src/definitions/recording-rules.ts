import { BASE, errorRatio, PERIOD, WINDOWS } from './burn-rates.ts';
import { OBJECTIVES } from './objectives.ts';
import { DAY, HOUR, MINUTE, type Time } from './time.ts';

/** A rule that Prometheus evaluates and records under a name. */
export interface RecordingRule {
  record: string;
  expr: string;
  labels?: Readonly<Record<string, string>>;
}

/**
 * Returns the five-minute rates of each objective, and the share of bad events over each window from `from` to `until`
 * seconds.
 */
export function objectiveRules(time: Time, from: number, until: number): RecordingRule[] {
  return OBJECTIVES.flatMap(({ name: objective, bad, all }) => {
    const labels = { objective };
    const base = time.window(BASE);
    const of = `{objective="${objective}"}`;
    const rates = [
      { record: 'recording:objective_bad:rate5m', expr: `clamp_min(${bad(base)}, 0)`, labels },
      { record: 'recording:objective_all:rate5m', expr: all(base), labels },
    ];
    const ratios = WINDOWS.filter(window => window >= from && window < until).map(seconds => {
      const over = (name: string) =>
        seconds === BASE ? `${name}${of}` : `avg_over_time(${name}${of}[${time.window(seconds)}])`;
      // Without requests, the ratio would be 0/0: `> 0` returns no series instead.
      const expr = `${over('recording:objective_bad:rate5m')} / (${over('recording:objective_all:rate5m')} > 0)`;
      return { record: errorRatio(seconds), expr, labels };
    });
    return from === 0 ? [...rates, ...ratios] : ratios;
  });
}

/** Returns the remaining share of each objective's budget for one period. */
export const budgetRules = (): RecordingRule[] =>
  OBJECTIVES.map(({ name: objective, target }) => ({
    record: 'recording:objective_budget_left:ratio30d',
    expr: `1 - ${errorRatio(PERIOD)}{objective="${objective}"} / ${Number((1 - target).toFixed(6))}`,
    labels: { objective },
  }));

/** The requests of a service to another program, by the label `server`: the histogram, and a selector of its series. */
const SERVERS: Readonly<Record<string, readonly [string, string]>> = {
  store: ['http_client_request_duration_seconds', 'recording_peer="store"'],
  speech: ['http_client_request_duration_seconds', 'recording_peer="speech"'],
  endpoint: ['http_client_request_duration_seconds', 'recording_peer="endpoint"'],
  // A getMore may wait for future events.
  database: ['db_client_operation_duration_seconds', 'db_operation_name!="getMore"'],
  kafka: ['messaging_client_operation_duration_seconds', ''],
  ffmpeg: ['recording_ffmpeg_duration_seconds', ''],
};

/** The usual mean seconds of a call; docs/runbooks/which-step-is-slow.md lists them. */
export const USUAL_SECONDS: Readonly<Record<string, number>> = {
  store: 0.03,
  speech: 3,
  endpoint: 0.3,
  database: 0.005,
  kafka: 0.02,
  ffmpeg: 1,
};

/**
 * Returns the additional seconds per second of each server for the same calls: the difference of the means times the
 * present rate. A ratio would name a server that is ten times as slow but still fast. "Before" is the median of the
 * three hours that ended half an hour ago, so an outage of less than one and a half hours does not change it.
 */
export function serverRules(time: Time): RecordingRule[] {
  const base = time.window(5 * MINUTE);
  const each = Object.entries(SERVERS).flatMap(([server, [metric, selector]]) => {
    const rate = (part: string) => `sum(rate(${metric}_${part}${selector && `{${selector}}`}[${base}]))`;
    return [
      { record: 'recording:server_seconds:rate5m', expr: rate('sum'), labels: { server } },
      { record: 'recording:server_calls:rate5m', expr: rate('count'), labels: { server } },
    ];
  });
  const mean = 'recording:server_seconds:mean5m';
  const before = 'recording:server_seconds_before:mean3h';
  const usual = 'recording:server_seconds_usual';
  return [
    ...each,
    { record: mean, expr: 'recording:server_seconds:rate5m / (recording:server_calls:rate5m > 0)' },
    {
      record: before,
      // A system that has just started has no earlier values, so the rule uses the usual value.
      expr: `quantile_over_time(0.5, ${mean}[${time.window(3 * HOUR)}] offset ${time.window(30 * MINUTE)}) or ${usual}`,
    },
    ...Object.entries(USUAL_SECONDS).map(([server, seconds]) => ({
      record: usual,
      expr: `vector(${seconds})`,
      labels: { server },
    })),
    {
      record: 'recording:server_seconds_more:rate5m',
      expr: `recording:server_seconds:rate5m - recording:server_calls:rate5m * ${before}`,
    },
  ];
}

/**
 * The mean seconds of each process's work, by the label `of`. Excludes operations whose time depends on the length of a file
 * or a clip, and requests that wait for an event.
 */
export function instanceRules(time: Time): RecordingRule[] {
  const base = time.window(2 * MINUTE);
  const mean = (metric: string, selector: string) => {
    const rate = (part: string) => `sum by (job, instance) (rate(${metric}_${part}{${selector}}[${base}]))`;
    return `${rate('sum')} / (${rate('count')} > 0)`;
  };
  const record = 'recording:instance_seconds:mean2m';
  return [
    {
      record,
      expr: mean(
        'http_server_request_duration_seconds',
        'job="gateway", http_request_method="GET", http_route!~".*(export|video|audio|thumb|media).*|/api/events"',
      ),
      labels: { of: 'requests' },
    },
    {
      record,
      expr: mean('rpc_server_call_duration_seconds', 'rpc_method!~".*(Inspect|Export|Download|ListEvents).*"'),
      labels: { of: 'calls' },
    },
    {
      record,
      expr: mean('messaging_process_duration_seconds', 'job!~"media|transcription"'),
      labels: { of: 'events' },
    },
  ];
}

/** Longer windows are evaluated less often. */
export const LONG_WINDOW = DAY;
