import { COMMON_ATTRIBUTES, SPANS, type SpanDefinition } from './spans.ts';

const BEGINNING = `# Spans

Made from \`packages/telemetry-registry/src/spans.ts\` by \`npm run metrics\`; \`npm test\` holds both together, and holds what a running system emits against it.

One trace leads from the request that brings a clip's last byte to the requests of its webhooks. What is done for the clip later (a landing that the sweeper
takes up, a job that is done once more, a dead letter that is replayed) is a part of the same trace the first four times, and after that a trace of its own that links
to it; so are later attempts to deliver an event, and erasures. \`npm run admin -- trace ID\` finds the trace by the id of a submission or an upload.

A trace is of a bounded size however many parts an upload has and however often a job is done: of the database commands and store operations of one name within one step the first 20
have a span, and the step says how many have none. Why: [decision 43](decisions/0043-spans.md). Of the requests that only read, a share is
traced: see [telemetry](telemetry.md#sampling).

Every span may have these:

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
