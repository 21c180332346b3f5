import { LINK_STATUSES, MEDIA_STATUSES, TRANSCRIPT_STATUSES } from '@recording-request/contract/resources/fields';

/** The named enumerations of requests. */
const NAMED: Record<string, { values: readonly string[]; description: string }> = {
  TranscriptStatus: {
    values: TRANSCRIPT_STATUSES,
    description: 'The state of a transcript; disabled: transcription was off.',
  },
  MediaStatus: {
    values: MEDIA_STATUSES,
    description: 'The state of the seekable video, the thumbnails and the audio.',
  },
  LinkStatus: {
    values: LINK_STATUSES,
    description:
      'disabled, exhausted, expired or active: the first that applies. exhausted with completedAt null: the response has begun and is not complete.',
  },
};
const nameOf = new Map(Object.entries(NAMED).map(([name, { values }]) => [values.join(), name]));

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  description?: string;
}

interface Operation {
  parameters?: unknown;
  requestBody?: unknown;
  responses?: unknown;
}

/**
 * Names the enumerations of requests, so that generated clients have one type for each. Opens the enumerations of
 * answers: version 1 may add values, and a client generated from a closed list would fail. Changes the document in
 * place.
 */
export function describeEnums(document: { components?: object; paths?: object }): void {
  openEnums(document.components);
  for (const methods of Object.values(document.paths ?? {})) {
    for (const { parameters, requestBody, responses } of Object.values(methods as Record<string, Operation>)) {
      nameEnums(parameters);
      nameEnums(requestBody);
      openEnums(responses);
    }
  }
  const named = Object.entries(NAMED).map(([each, { values, description }]) => [
    each,
    { type: 'string', enum: [...values], description },
  ]);
  const components = document.components as { schemas?: object };
  components.schemas = { ...components.schemas, ...Object.fromEntries(named) };
}

function nameEnums(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  for (const [key, value] of Object.entries(part as Record<string, Schema>)) {
    const known = Array.isArray(value?.enum) && nameOf.get(value.enum.join());
    if (known) (part as Record<string, unknown>)[key] = refTo(known, value);
    else nameEnums(value);
  }
}

const refTo = (known: string, { description }: Schema): object => ({
  $ref: `#/components/schemas/${known}`,
  ...(description !== undefined && { description }),
});

/**
 * Makes each enumeration a text with its values in `x-extensible-enum`, because generators would make a closed type of
 * `enum`.
 */
function openEnums(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  const schema = part as Schema & { 'x-extensible-enum'?: unknown[] };
  if (Array.isArray(schema.enum)) {
    const values = schema.enum.filter(value => value !== null);
    const known = `One of ${values.join(', ')}; more may be added.`;
    schema['x-extensible-enum'] = values;
    schema.description = schema.description === undefined ? known : `${known} ${schema.description}`;
    delete schema.enum;
  }
  for (const value of Object.values(part)) openEnums(value);
}
