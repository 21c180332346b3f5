import type { TSchema } from 'typebox';

export const TAGS = {
  account: 'The owner of the token and the remaining allowance.',
  projects: 'Projects and their settings.',
  links: 'Recording links.',
  submissions: 'Recorded clips, their transcripts and media.',
  exports: 'Whole projects as files.',
  uploads: 'The contributor’s requests, with the recipient token in the path.',
  dashboard: 'Read-only requests, with the private token in the path.',
  webhooks: 'Events, sent to the webhookUrl of a project.',
  extensions: 'Routes that the contract does not have.',
  descriptions: 'Descriptions of this interface.',
} as const;

export interface Operation {
  /** Unique, in camelCase. */
  id: string;
  tag: keyof typeof TAGS;
  summary: string;
  description?: string;
  params?: TSchema;
  query?: TSchema;
  headers?: TSchema;
  body?: TSchema;
  /** Describes the CSV file, for a route that accepts one in place of the JSON. */
  csvBody?: string;
  /** The media types of a body that is not JSON. */
  bodyTypes?: string[];
  /** The JSON of a success, by its status. */
  json?: Record<number, TSchema>;
  /** The media type of a success that is not JSON. */
  file?: string;
  /** The media types of a success with a file of one of several types. */
  files?: string[];
  /** True if the route supports If-None-Match. */
  conditional?: boolean;
  /** The descriptions of further errors, by status. openapi.ts adds the errors of access and of invalid values. */
  also?: Record<number, string>;
}

const FILE = { type: 'string', format: 'binary' } as const;

/** Returns the Fastify schema of a route, which validates the request, serialises the answer and describes both. */
export function operation(spec: Operation) {
  const response: Record<number, unknown> = {};
  for (const [status, schema] of Object.entries(spec.json ?? {})) {
    response[Number(status)] = { ...schema, description: spec.summary };
  }
  if (spec.file) {
    const schema = /^text\/|\/x-subrip$/.test(spec.file) ? { type: 'string' } : FILE;
    response[200] = { description: spec.summary, content: { [spec.file]: { schema } } };
  }
  if (spec.files) response[200] = { description: spec.summary, content: contentOf(spec.files, FILE) };
  if (spec.conditional)
    response[304] = { type: 'null', description: 'Nothing has changed: If-None-Match names the current ETag.' };
  for (const [status, description] of Object.entries(spec.also ?? {})) {
    response[Number(status)] = errorAnswer(description);
  }
  return {
    operationId: spec.id,
    tags: [spec.tag],
    summary: spec.summary,
    ...(spec.description && { description: spec.description }),
    ...(spec.params && { params: spec.params }),
    ...(spec.query && { querystring: spec.query }),
    ...(spec.headers && { headers: spec.headers }),
    ...(spec.body && { body: bodyOf(spec.body, spec) }),
    response,
  };
}

const contentOf = (types: readonly string[], schema: object) =>
  Object.fromEntries(types.map(type => [type, { schema }]));

function bodyOf(schema: TSchema, { csvBody, bodyTypes }: Operation) {
  if (bodyTypes) return { content: contentOf(bodyTypes, schema) };
  if (csvBody === undefined) return schema;
  return {
    content: {
      ...contentOf(['application/json'], schema),
      'text/csv': { schema: { type: 'string', description: csvBody } },
    },
  };
}

/** Returns an error for openapi.json, without headers: another step adds them to the whole document. */
export const errorAnswer = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: 'Error#' } } },
});

/**
 * The options of routes whose responses grow with the project. The presenters build exactly the described fields, so a
 * serialiser from the schema would only cost time.
 */
export const withoutSchemaSerializer = { serializerCompiler: () => (value: unknown) => JSON.stringify(value) };
