import { METRICS, type MetricDefinition } from './metrics.ts';

const BEGINNING = `# Metrics

Generated from \`packages/telemetry-registry/src/metrics.ts\` by \`npm run metrics\`; \`npm test\` compares both, and compares this list with what a running system emits.

The services record no metrics until a variable turns metrics on: see [telemetry](telemetry.md).

One process of submissions and one of webhooks read the figures that cost a query, every \`FIGURES_SECONDS\` (30), from indexes. When that process stops, another one
takes over, and the first process stops reporting them. A process stops reporting an old value within a minute. \`service.instance.id\` is the name of the pod
from \`K8S_POD_NAME\` or \`OTEL_RESOURCE_ATTRIBUTES\`, else the process id and a random word.

If the collector is slow or unreachable, only telemetry is lost: queues are bounded, and no request waits for them. No attribute contains a token or a user's text, and
only \`recording.webhook.failing\` contains an id: the opaque random id of a project, in at most ten series. A metric has at most 2,000 series in a process; the others share the series \`otel.metric.overflow\`. The services send only the metrics on this page.

Prometheus replaces each dot of a name or an attribute by \`_\` and appends the unit: \`recording.step.age\` in \`s\` becomes \`recording_step_age_seconds\`. A counter's name ends in \`_total\`. The name of a gauge
with the unit \`1\` ends in \`_ratio\`. A histogram has three series: \`_bucket\`, \`_sum\`, \`_count\`.

Spans have \`recording.project.id\`, \`recording.submission.id\` and \`recording.upload.id\`, so a trace store finds the work of each service by the id of a clip. The log lines of
the same steps have \`trace_id\`.

Node's own metrics are \`nodejs.*\` and \`v8js.*\`, by OpenTelemetry's conventions for Node (the event loop's delay and utilisation, the heap, garbage collection).
`;

/** Returns the text of docs/metrics.md. */
export function metricsDocument(): string {
  const sections = Object.entries<MetricDefinition>(METRICS).map(([name, metric]) => {
    const { kind, unit, description, attributes, buckets } = metric;
    const rows = Object.entries(attributes).map(([attribute, values]) => `| \`${attribute}\` | ${values} |`);
    const table = rows.length > 0 ? ['', '| attribute | values |', '|---|---|', ...rows] : [];
    const bounds = buckets ? [`Buckets: ${buckets.join(', ')} ${unit}.`] : [];
    return [`## ${name}`, '', [`A ${kind}, in \`${unit}\`.`, description, ...bounds].join(' '), ...table].join('\n');
  });
  return `${[BEGINNING.trimEnd(), ...sections].join('\n\n')}\n`;
}
