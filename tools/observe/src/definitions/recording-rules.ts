import { BASE, errorRatio, PERIOD, WINDOWS } from './burn-rates.ts';
import { OBJECTIVES } from './objectives.ts';
import { DAY, HOUR, MINUTE, type Time } from './time.ts';

/** A rule that Prometheus evaluates and records under a name. */
export interface RecordingRule {
  record: string;
  expr: string;
  labels?: Readonly<Record<string, string>>;
}

/** The rates of each objective over five minutes, and the share that broke it over the windows up to `until` seconds, from `from`. */
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
      // Where nothing was asked, nothing was broken: no share at all.
      const expr = `${over('recording:objective_bad:rate5m')} / (${over('recording:objective_all:rate5m')} > 0)`;
      return { record: errorRatio(seconds), expr, labels };
    });
    return from === 0 ? [...rates, ...ratios] : ratios;
  });
}

/** The share of each objective's budget that is left, of one period. */
export const budgetRules = (): RecordingRule[] =>
  OBJECTIVES.map(({ name: objective, target }) => ({
    record: 'recording:objective_budget_left:ratio30d',
    expr: `1 - ${errorRatio(PERIOD)}{objective="${objective}"} / ${Number((1 - target).toFixed(6))}`,
    labels: { objective },
  }));

/** What a service asks of another program, by the label `server`: its histogram, and which of its series. */
const SERVERS: Readonly<Record<string, readonly [string, string]>> = {
  store: ['http_client_request_duration_seconds', 'recording_peer="store"'],
  speech: ['http_client_request_duration_seconds', 'recording_peer="speech"'],
  endpoint: ['http_client_request_duration_seconds', 'recording_peer="endpoint"'],
  // A getMore may wait for what is to come.
  database: ['db_client_operation_duration_seconds', 'db_operation_name!="getMore"'],
  kafka: ['messaging_client_operation_duration_seconds', ''],
  ffmpeg: ['recording_ffmpeg_duration_seconds', ''],
};

/**
 * How many seconds more a second each server costs than the same calls cost before: the difference of the means times the rate of
 * now. A ratio would name the one that became ten times as slow and still is quick. Before: the median of three hours until half
 * an hour ago, which an outage of less than half of it does not move.
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
  return [
    ...each,
    { record: mean, expr: 'recording:server_seconds:rate5m / (recording:server_calls:rate5m > 0)' },
    {
      record: before,
      // A system that has just begun has no before but now.
      expr: `quantile_over_time(0.5, ${mean}[${time.window(3 * HOUR)}] offset ${time.window(30 * MINUTE)}) or ${mean}`,
    },
    {
      record: 'recording:server_seconds_more:rate5m',
      expr: `recording:server_seconds:rate5m - recording:server_calls:rate5m * ${before}`,
    },
  ];
}

/** The mean seconds of what each process answers, by the label `of`; without what takes as long as a file or a clip. */
export function instanceRules(time: Time): RecordingRule[] {
  const base = time.window(5 * MINUTE);
  const mean = (metric: string, selector: string) => {
    const rate = (part: string) => `sum by (job, instance) (rate(${metric}_${part}{${selector}}[${base}]))`;
    return `${rate('sum')} / (${rate('count')} > 0)`;
  };
  const record = 'recording:instance_seconds:mean5m';
  return [
    {
      record,
      expr: mean(
        'http_server_request_duration_seconds',
        'job="gateway", http_request_method="GET", http_route!~".*(export|video|audio|thumb|media).*"',
      ),
      labels: { of: 'requests' },
    },
    {
      record,
      expr: mean('rpc_server_call_duration_seconds', 'rpc_method!~".*(Inspect|Export|Download).*"'),
      labels: { of: 'calls' },
    },
    {
      record,
      expr: mean('messaging_process_duration_seconds', 'job!~"media|transcription"'),
      labels: { of: 'events' },
    },
  ];
}

/** Windows from here on are evaluated more seldom. */
export const LONG_WINDOW = DAY;
