import { type Html, html } from '@recording-request/web-shared/html';
import type { Page } from './send-page.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  'x-constraint'?: string;
}

interface Content {
  schema?: Schema;
  example?: unknown;
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { description: string; content?: Record<string, Content> }>;
}

/** The parts of openapi.json that the page shows. */
export interface Described {
  info: { title: string; version: string; description?: string };
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

interface Route extends Operation {
  method: string;
  path: string;
}

/** GET /api/docs: openapi.json as one page to read, made once; nothing in it comes from elsewhere. */
export function docsPage(document: Described): Page {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Route => ({ ...operation, method: method.toUpperCase(), path })),
  );
  const body = html`<h1>${document.info.title} <small>${document.info.version}</small></h1>
<p>As <a href="/api/openapi.json">openapi.json</a>, and <a href="/api/docs.md">in prose with commands to paste</a>.</p>
<nav aria-label="Operations">${document.tags.map(tag => contents(tag.name, routes))}
<h2><a href="#resources">Resources</a></h2></nav>
${document.tags.map(
  tag =>
    html`<section><h2>${tag.name}</h2><p>${tag.description}</p>${routes.filter(at(tag.name)).map(operation)}</section>`,
)}
<section id="resources"><h2>Resources</h2>${Object.entries(document.components.schemas).map(resource)}</section>`;
  return { title: `${document.info.title} ${document.info.version}`, body };
}

const at = (tag: string) => (route: Route) => route.tags.includes(tag);

const contents = (tag: string, routes: Route[]): Html => html`<h2>${tag}</h2>
<ul>${routes.filter(at(tag)).map(each => html`<li><a href="#${each.operationId}"><code>${each.method} ${each.path}</code></a> ${each.summary}</li>`)}</ul>`;

function operation(route: Route): Html {
  const { operationId, method, path, summary, description, parameters = [], requestBody, responses } = route;
  const scope = route.security?.[0]?.ownerToken?.[0];
  const access = scope ? html`Bearer token with the scope <code>${scope}</code>.` : 'No header.';
  return html`<article id="${operationId}"><h3><code>${method} ${path}</code></h3>
<p>${summary}. ${access}</p>${description ? html`<p>${description}</p>` : null}
${
  parameters.length > 0
    ? table(
        'Parameters',
        parameters.map(each => row(each.name, each.schema, each.required, each.description)),
      )
    : null
}
${Object.values(requestBody?.content ?? {}).map(content => html`${fields('Body', content.schema)}${example(content.example)}`)}
<details><summary>Answers: ${Object.keys(responses).join(', ')}</summary>
${Object.entries(responses).map(
  ([status, { description: says, content = {} }]) => html`<h4>${status} ${says}</h4>
${Object.entries(content).map(([type, { schema, example: shown }]) => html`<p><code>${type}</code> ${typeOf(schema)}</p>${example(shown)}`)}`,
)}</details></article>`;
}

const resource = ([name, schema]: [string, Schema]): Html =>
  html`<article id="resource-${name}"><h3>${name}</h3><p>${schema.description}</p>${fields('Fields', schema)}</article>`;

function fields(caption: string, schema: Schema | undefined): Html | null {
  if (!schema?.properties) return null;
  const { properties, required = [] } = schema;
  const rows = Object.entries(properties).map(([name, each]) =>
    row(name, each, required.includes(name), each.description),
  );
  return table(caption, rows);
}

const table = (caption: string, rows: Html[]): Html => html`<div class="wide"><table><caption>${caption}</caption>
<thead><tr><th scope="col">name</th><th scope="col">type</th><th scope="col">meaning</th></tr></thead><tbody>${rows}</tbody></table></div>`;

const row = (name: string, schema: Schema, required = false, description = ''): Html =>
  html`<tr><th scope="row"><code>${name}</code>${required ? null : html` <small>(optional)</small>`}</th><td>${typeOf(schema)}</td><td>${description}</td></tr>`;

function typeOf(schema: Schema | undefined): Html | string {
  if (!schema) return '';
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return html`<a href="#resource-${name}">${name}</a>`;
  }
  if (schema.anyOf) {
    return html`${schema.anyOf.map((each, index) => html`${index > 0 ? ' or ' : ''}${typeOf(each)}`)}`;
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map(value => String(value)).join(' | ');
  if (schema.items)
    return html`list of ${typeOf(schema.items)}${schema.maxItems ? ` (at most ${schema.maxItems})` : ''}`;
  const type = [schema.type ?? 'any'].flat().join(' or ');
  return [schema.format ? `${type} (${schema.format})` : type, limits(schema) || schema['x-constraint']]
    .filter(Boolean)
    .join(', ');
}

function limits({ minimum, maximum, minLength, maxLength }: Schema): string {
  const [low, high, unit] = (minLength ?? maxLength) ? [minLength, maxLength, ' characters'] : [minimum, maximum, ''];
  if (low !== undefined && high !== undefined) return `${low} to ${high}${unit}`;
  if (high !== undefined) return `at most ${high}${unit}`;
  return low === undefined ? '' : `at least ${low}${unit}`;
}

function example(value: unknown): Html | null {
  if (value === undefined) return null;
  return html`<pre><code>${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</code></pre>`;
}
