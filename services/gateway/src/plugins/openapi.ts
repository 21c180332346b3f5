import swagger from '@fastify/swagger';
import { RESOURCES } from '@recording-request/contract/resources/all';
import { CONTRACT_VERSION, SCOPES } from '@recording-request/contract/resources/fields';
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import type { Context } from '../context.ts';
import { describeHeaders } from '../docs/described-headers.ts';
import { describeEnums } from '../docs/named-enums.ts';
import { otherEventSchema, webhookEventSchema, webhooksSection } from '../docs/openapi-webhooks.ts';
import { ratesSentence } from '../docs/rates.ts';
import { UPLOAD_PATHS } from '../docs/upload-interface.ts';
import type { Access } from './access-kinds.ts';
import { errorAnswer, TAGS } from './operation.ts';

/**
 * Builds openapi.json from the schemas that validate requests; takes errors and security from each route's declared
 * access.
 */
export async function installOpenApi(
  app: FastifyInstance,
  { baseUrl, config }: Pick<Context, 'baseUrl' | 'config'>,
): Promise<void> {
  for (const resource of RESOURCES) app.addSchema(resource);
  await app.register(swagger, {
    convertConstToEnum: false,
    hideUntagged: true,
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `def-${i}`) },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Recording Request Owner API',
        version: CONTRACT_VERSION,
        description: `Collect video responses from other people. In prose: ${baseUrl}/api/docs.md. To build your own recorder: ${baseUrl}/api/docs/recorder. ${ratesSentence(config)}`,
        contact: { name: 'The operator of this deployment', url: baseUrl },
        license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: baseUrl }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      webhooks: webhooksSection(baseUrl),
      components: {
        schemas: { WebhookEvent: webhookEventSchema, OtherEvent: otherEventSchema },
        securitySchemes: {
          ownerToken: {
            type: 'http',
            scheme: 'bearer',
            description: `An owner token, prefix api_. Its scopes are some of ${SCOPES.join(', ')}.`,
          },
        },
      },
    },
    transform: ({ schema, url, route }) => ({ schema: complete(schema ?? {}, route), url }),
    transformObject: document => ('openapiObject' in document ? whole(document.openapiObject) : {}),
  });
}

/** Adds the parts that no route's schema has: the upload interface, named or open enumerations, and headers. */
function whole<T extends { components?: object | undefined; paths?: object | undefined }>(document: T): T {
  document.paths = { ...document.paths, ...structuredClone(UPLOAD_PATHS) };
  withOpenAnswers(document as { components?: object; paths?: object });
  describeEnums(document as { components?: object; paths?: object });
  describeHeaders(document as Parameters<typeof describeHeaders>[0]);
  return document;
}

interface DescribedRoute {
  responses?: unknown;
  requestBody?: { required?: boolean; content: Record<string, { schema?: { type?: unknown } }> };
}

/**
 * Describes HTTP responses as objects that may have more fields, so that generated clients accept the next version.
 * Request bodies stay closed. The gateway still sends exactly the described fields, and tests check this.
 */
function withOpenAnswers(document: { components?: object; paths?: object }): void {
  openUp(document.components);
  for (const methods of Object.values(document.paths ?? {}))
    for (const { responses, requestBody } of Object.values(methods as Record<string, DescribedRoute>)) {
      openUp(responses);
      // A body that may be null is optional.
      const [content] = Object.values(requestBody?.content ?? {});
      if (requestBody && [content?.schema?.type].flat().includes('null')) requestBody.required = false;
    }
}

function openUp(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  const schema = part as Record<string, unknown>;
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  for (const value of Object.values(schema)) openUp(value);
}

function complete(schema: FastifySchema, route: RouteOptions): FastifySchema {
  const access = route.config?.access;
  if (!access || schema.hide) return { ...schema, hide: true };
  const responses = { ...(schema.response as Record<string, unknown>) };
  for (const [status, description] of errorsOf(schema, route, access)) {
    responses[status] ??= errorAnswer(description);
  }
  const security = access.kind === 'owner' && access.scope ? [{ ownerToken: [access.scope] }] : [];
  return { ...schema, description: described(schema, access), security, response: responses };
}

function described({ summary, description }: FastifySchema, access: Access): string {
  const scope = access.kind === 'owner' && access.scope ? ` Needs the scope ${access.scope}.` : '';
  return `${description ?? `${summary}.`}${scope}`;
}

/** Returns whether a route accepts JSON. A body without a list of media types is JSON. */
function takesJson({ body }: FastifySchema): boolean {
  const { content } = (body ?? {}) as { content?: object };
  return content === undefined || 'application/json' in content;
}

function errorsOf(schema: FastifySchema, route: RouteOptions, access: Access): [status: string, description: string][] {
  const takesBody = ['POST', 'PUT', 'PATCH'].includes(String(route.method));
  const errors: [string, string][] = [];
  const ids = schema.params as { properties?: Record<string, { format?: string }> } | undefined;
  const checksParams = Object.values(ids?.properties ?? {}).some(property => property.format === 'uuid');
  if (takesBody || schema.querystring || schema.headers || checksParams || access.kind === 'owner') {
    errors.push(['400', 'A value is not valid, or a name is not known; the sentence names it.']);
  }
  if (access.kind === 'owner') {
    errors.push(['401', 'The token is missing, malformed, unknown or revoked.']);
    errors.push(['403', 'The token lacks the scope, or the allowance is exceeded.']);
  }
  if (ids) errors.push(['404', 'It does not exist, is not yours, or is not ready yet.']);
  if (takesBody) {
    errors.push(['413', 'The body is too large; the sentence names the limit.']);
    errors.push(['415', takesJson(schema) ? 'The body is not JSON.' : 'The body has a Content-Encoding.']);
  }
  errors.push(['429', 'Too many requests; Retry-After says how long to wait.']);
  errors.push(['500', 'Something went wrong on our side.'], ['503', 'A part of the service is not answering.']);
  return errors;
}
