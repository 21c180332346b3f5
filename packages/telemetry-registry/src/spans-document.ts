import { COMMON_ATTRIBUTES, SPANS, type SpanDefinition } from './spans.ts';

const BEGINNING = `# Spans

Generated from \`packages/telemetry-registry/src/spans.ts\` by \`npm run metrics\`; \`npm test\` compares both, and compares this list with what a running system emits.

One trace leads from the request with a clip's last byte to the requests of its webhooks. The first four repetitions of later work for the clip (a landing by the sweeper,
a repeated job, a replayed dead letter) belong to the same trace. After that, each repetition starts its own trace, which links to the first one. Later
attempts to deliver an event, and erasures, also start their own traces. \`npm run admin -- trace ID\` finds the trace by the id of a submission or an upload.

The size of a trace is bounded, whatever the number of an upload's parts or a job's runs: within one step, the first 20 database commands or store operations of each name
have a span, and an attribute of the step counts the others. [Decision 43](decisions/0043-spans.md) has the reasons. A share of the requests that
only read is traced: see [telemetry](telemetry.md#sampling).

Attributes of all spans:

${tableOf(COMMON_ATTRIBUTES)}
`;

function tableOf(attributes: Readonly<Record<string, string>>): string {
  const rows = Object.entries(attributes).map(([attribute, meaning]) => `| \`${attribute}\` | ${meaning} |`);
  return ['| attribute | meaning |', '|---|---|', ...rows].join('\n');
}

/** Returns the text of docs/spans.md. */
export function spansDocument(): string {
  const sections = Object.entries<SpanDefinition>(SPANS).map(([name, { kinds, by, description, attributes }]) => {
    const maker = by === 'us' ? '' : ` Made by \`@opentelemetry/instrumentation-${by}\`.`;
    return `## ${name}\n\nKind: ${kinds.join(' or ')}. ${description}${maker}\n\n${tableOf(attributes)}`;
  });
  return `${[BEGINNING.trimEnd(), ...sections].join('\n\n')}\n`;
}
