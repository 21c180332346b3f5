import { METRICS, type MetricDefinition } from '@recording-request/telemetry-registry/metrics';
import { ALERTS } from './alerts.ts';
import { ruleGroups } from './rules.ts';
import { timeOf } from './time.ts';

/** The names in a query: for each series, the labels that the query uses; and the labels that it groups by. */
export interface Names {
  series: Map<string, Set<string>>;
  grouped: Set<string>;
}

const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const SERIES = /([a-zA-Z_:][\w:]*)\s*(?:\{((?:[^}"]|"(?:[^"\\]|\\.)*")*)\})?(?!\s*\(|[\w:])/g;
const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan', 'by', 'without', 'on', 'ignoring']);
const LABEL = /([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)\s*"(?:[^"\\]|\\.)*"/g;
const listOf = (text: string) =>
  text
    .split(',')
    .map(name => name.trim())
    .filter(Boolean);

/** Reads the names in a PromQL query in this project's style: plain names with selectors, functions, and groupings. */
export function namesIn(query: string): Names {
  const grouped = new Set([...query.matchAll(GROUPING)].flatMap(([, list = '']) => listOf(list)));
  const text = query.replaceAll(GROUPING, ' ').replaceAll(/\[[^\]]*\]|\boffset\s+\w+|(?<=[(,]\s*)"[^"]*"/g, ' ');
  const series = new Map<string, Set<string>>();
  for (const [, name = '', selector = ''] of text.matchAll(SERIES)) {
    if (WORDS.has(name)) continue;
    const labels = series.get(name) ?? new Set();
    for (const [, label = ''] of selector.matchAll(LABEL)) labels.add(label);
    series.set(name, labels);
  }
  return { series, grouped };
}

const TARGET = ['job', 'instance'];
const SPAN = ['service_name', 'span_name', 'span_kind', 'status_code', ...TARGET];
const under = (name: string) => name.replaceAll(/[^\w:]/g, '_');

/** Returns the series of a metric as the collector's Prometheus exporter names them. */
export function seriesOf(name: string, { kind, unit }: Pick<MetricDefinition, 'kind' | 'unit'>): string[] {
  const units: Record<string, string> = { s: '_seconds', By: '_bytes', '1': kind === 'gauge' ? '_ratio' : '' };
  const suffix = units[unit] ?? '';
  const base = under(name);
  const full = base.endsWith(suffix) ? base : base + suffix;
  if (kind === 'counter') return [`${full}_total`];
  return kind === 'gauge' ? [full] : ['_bucket', '_sum', '_count'].map(part => full + part);
}

// The Node metrics of the library, and the metrics of the collector and Prometheus that these queries use.
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  nodejs_eventloop_delay_p99_seconds: TARGET,
  nodejs_eventloop_utilization_ratio: TARGET,
  v8js_memory_heap_used_bytes: [...TARGET, 'v8js_heap_space_name'],
  traces_span_metrics_duration_seconds_bucket: [...SPAN, 'le'],
  traces_span_metrics_calls_total: SPAN,
  up: TARGET,
  ALERTS: [
    ...['alertname', 'alertstate', 'severity', 'about', 'objective', 'burn', 'recording_step'],
    ...['messaging_consumer_group_name', ...TARGET],
  ],
  otelcol_process_memory_rss: TARGET,
  otelcol_exporter_queue_size: [...TARGET, 'exporter'],
  otelcol_exporter_queue_capacity: [...TARGET, 'exporter'],
  otelcol_exporter_send_failed_spans: [...TARGET, 'exporter'],
  otelcol_exporter_enqueue_failed_spans: [...TARGET, 'exporter'],
  otelcol_processor_tail_sampling_sampling_trace_dropped_too_early: TARGET,
};

/** Every series that a query may name, with its labels. */
export function knownSeries(): Map<string, Set<string>> {
  const known = new Map<string, Set<string>>(Object.entries(OTHERS).map(([name, labels]) => [name, new Set(labels)]));
  for (const [name, definition] of Object.entries<MetricDefinition>(METRICS)) {
    const labels = [...Object.keys(definition.attributes).map(under), ...TARGET];
    for (const series of seriesOf(name, definition))
      known.set(series, new Set(series.endsWith('_bucket') ? [...labels, 'le'] : labels));
  }
  for (const rule of Object.values(ruleGroups({ time: timeOf(1), runbooks: '' }))
    .flat()
    .flatMap(({ rules }) => rules))
    if ('record' in rule)
      known.set(
        rule.record,
        new Set([...Object.keys(rule.labels ?? {}), ...namesIn(rule.expr).grouped, ...(known.get(rule.record) ?? [])]),
      );
  // Derived from the series above.
  for (const name of [
    'recording:server_seconds:mean5m',
    'recording:server_seconds_before:mean3h',
    'recording:server_seconds_more:rate5m',
  ])
    known.get(name)?.add('server');
  return known;
}

/** Returns the wrong names in a query: series that do not exist, and labels that their series do not have. */
export function unknownNames(query: string, known: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const { series, grouped } = namesIn(query);
  const faults: string[] = [];
  const all = new Set<string>();
  for (const [name, labels] of series) {
    const has = known.get(name);
    if (!has) faults.push(`no series ${name}`);
    for (const label of labels) if (has && !has.has(label)) faults.push(`${name} has no ${label}`);
    for (const label of has ?? []) all.add(label);
  }
  for (const label of grouped) if (!all.has(label)) faults.push(`no series in it has ${label}`);
  return faults;
}

/** Returns the queries of all alerts and recording rules. */
export function ruleQueries(): string[] {
  const time = timeOf(1);
  const rules = Object.values(ruleGroups({ time, runbooks: '' }))
    .flat()
    .flatMap(group => group.rules);
  return [...ALERTS.map(alert => alert.expr(time)), ...rules.map(({ expr }) => expr)];
}
