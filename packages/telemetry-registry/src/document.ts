import { METRICS, type MetricDefinition } from './metrics.ts';

const BEGINNING = `# Metrics

Made from \`packages/telemetry-registry/src/metrics.ts\` by \`npm run metrics\`; \`npm test\` holds both together, and holds what a running system emits against it.

Nothing is measured while no variable asks for it: [telemetry](telemetry.md) has the variables.

Figures that cost a query are read by one process of submissions and one of webhooks, every \`FIGURES_SECONDS\` (15), from indexes alone; another process takes over
when that one ends, and the first then reports nothing of them any more. What is gone is not reported for longer than a minute. \`service.instance.id\` is the name of the pod
where \`K8S_POD_NAME\` or \`OTEL_RESOURCE_ATTRIBUTES\` has it, else the process id and a random word.

A collector that is away or slow costs nothing but what is lost: queues are bounded, and nothing waits for it. No attribute is an id, a token or a text of somebody's; a
metric has at most 2,000 series in a process, and the rest in one, \`otel.metric.overflow\`. What is not listed here is not sent, whichever library measures it.

Prometheus has \`_\` for each dot of a name or an attribute, and the unit after the name: \`recording.step.age\` in \`s\` is \`recording_step_age_seconds\`, what counts ends in \`_total\`, what has the unit \`1\` in \`_ratio\` where it is a gauge,
and a histogram is three: \`_bucket\`, \`_sum\`, \`_count\`.

Spans have \`recording.project.id\`, \`recording.submission.id\` and \`recording.upload.id\`, so that a trace store finds by a clip's id what each service did for it, and the log lines of
the same steps have \`trace_id\`.

Node's own: \`nodejs.*\` and \`v8js.*\`, as OpenTelemetry's conventions for Node have them (the event loop's delay and utilisation, the heap, garbage collection).
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
