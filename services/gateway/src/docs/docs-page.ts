import { type Html, html, raw } from '@recording-request/web-shared/html';
import type { Guide } from './guides.ts';
import type { Page } from './render-page.ts';
import { preludes, type Samples, samplesOf } from './request-samples.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  'x-extensible-enum'?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
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
  examples?: Record<string, { summary: string; value: unknown }>;
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: {
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    schema: Schema;
    example?: unknown;
  }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<
    string,
    { description: string; headers?: Record<string, unknown>; content?: Record<string, Content> }
  >;
}

/** The parts of openapi.json that the page shows. */
export interface Described {
  info: { title: string; version: string; description?: string };
  servers: { url: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

interface Route extends Operation {
  method: string;
  path: string;
}

/** Returns GET /api/docs: openapi.json as one page, made once. The page loads nothing from other servers. */
export function docsPage(document: Described, guides: readonly Guide[]): Page {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Route => ({ ...operation, method: method.toUpperCase(), path })),
  );
  const events = Object.values(document.webhooks).flatMap(methods => Object.values(methods));
  const body = html`<header><h1>${document.info.title} <small>${document.info.version}</small></h1>
<ul>${guides.map(({ name, title, summary }) => html`<li><a href="/api/docs/${name}">${title}</a>: ${summary}</li>`)}</ul>
<p>See also <a href="/api/openapi.json">openapi.json</a> for programs, and <a href="/api/docs.md">the API in prose with commands to paste</a>.</p>
<fieldset><legend>Samples in</legend>${LANGUAGES.map(
    ([id, name], index) =>
      html`<label><input type="radio" name="language" id="show-${id}"${index === 0 ? raw(' checked') : null}> ${name}</label>`,
  )}</fieldset>${inEach(preludes(document.servers[0]?.url ?? ''), name => html`<p>Each sample in ${name} continues these lines:</p>`)}</header>
<nav aria-label="Operations"><form role="search" hidden><input id="search" type="search" aria-label="Search" placeholder="Search"><span id="found" role="status"></span></form>
<ul>${document.tags.map(tag => contents(tag.name, [...routes, ...events]))}
<li><a href="#resources">Resources</a></li></ul></nav>
${document.tags.map(
  tag =>
    html`<section><h2>${tag.name}</h2><p>${prose(tag.description)}</p>${routes.filter(at(tag.name)).map(operation)}${events.filter(at(tag.name)).map(event)}</section>`,
)}
<section id="resources"><h2>Resources</h2>${Object.entries(document.components.schemas).map(resource)}</section>`;
  return { title: `${document.info.title} ${document.info.version}`, body, script: 'docs.js' };
}

const LANGUAGES = [
  ['curl', 'curl'],
  ['typescript', 'TypeScript'],
  ['python', 'Python'],
] as const;

const inEach = (samples: Samples, title = (name: string) => html`<h4>${name}</h4>`): Html =>
  html`${LANGUAGES.map(([id, name]) => html`<div class="sample ${id}">${title(name)}<pre><code>${samples[id]}</code></pre></div>`)}`;

const at = (tag: string) => (each: Operation) => each.tags.includes(tag);

const contents = (tag: string, operations: Operation[]): Html => html`<li>${tag}
<ul>${operations.filter(at(tag)).map(each => html`<li><a href="#${each.operationId}">${each.summary}</a></li>`)}</ul></li>`;

function operation(route: Route): Html {
  const { operationId, method, path, summary, description, parameters = [], requestBody, responses } = route;
  const { security = [] } = route;
  return html`<article id="${operationId}"><h3><code>${method} ${path}</code></h3>
<p>${prose(description ?? `${summary}.`)}${security.length === 0 ? ' No header Authorization.' : null}</p>
${
  parameters.length > 0
    ? table(
        'Parameters',
        parameters.map(each => row(each.name, each.schema, each.required, each.description)),
      )
    : null
}
${Object.values(requestBody?.content ?? {}).map(content => html`${fields('Body', content.schema)}${example(content.example)}`)}
${inEach(samplesOf(route))}
<details><summary>Answers: ${Object.keys(responses).join(', ')}</summary>
${Object.entries(responses).map(
  ([status, { description: says, headers = {}, content = {} }]) => html`<h4>${status} ${prose(says)}</h4>
<p>Headers: ${Object.keys(headers).join(', ')}</p>
${Object.entries(content).map(([type, { schema, example: shown }]) => html`<p><code>${type}</code> ${typeOf(schema)}</p>${example(shown)}`)}`,
)}</details></article>`;
}

/** Renders a description, in which backticks enclose code. */
const prose = (text = ''): Html =>
  html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;

/** Renders a webhook. It has no samples of a call, because the service calls the owner's endpoint. */
const event = ({ operationId, description, parameters = [], requestBody, responses }: Operation): Html =>
  html`<article id="${operationId}"><h3><code>POST</code> to your <code>webhookUrl</code></h3><p>${prose(description)}</p>
${table(
  'Headers',
  parameters.map(each => row(each.name, each.schema, each.required, each.description)),
)}
${Object.values(requestBody?.content ?? {}).map(
  ({ schema, examples = {} }) => html`<p>Body: ${typeOf(schema)}</p>
${Object.entries(examples).map(([type, { summary, value }]) => html`<details><summary><code>${type}</code>: ${prose(summary)}</summary>${example(value)}</details>`)}`,
)}
<h4>Your answer</h4><ul>${Object.entries(responses).map(([status, says]) => html`<li><code>${status}</code>: ${prose(says.description)}</li>`)}</ul></article>`;

const resource = ([name, schema]: [string, Schema]): Html =>
  html`<article id="resource-${name}"><h3>${name}</h3><p>${prose(schema.description)}</p>${schema.enum || schema.anyOf ? html`<p><code>${typeOf(schema)}</code></p>` : fields('Fields', schema)}</article>`;

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
  html`<tr><th scope="row"><code>${name}</code>${required ? null : html` <small>(optional)</small>`}</th><td>${typeOf(schema)}</td><td>${prose(description)}</td></tr>`;

function typeOf(schema: Schema | undefined): Html | string {
  if (!schema) return '';
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return html`<a href="#resource-${name}">${name}</a>`;
  }
  const either = schema.anyOf ?? schema.oneOf;
  if (either) {
    return html`${either.map((each, index) => html`${index > 0 ? ' or ' : ''}${typeOf(each)}`)}`;
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const { 'x-extensible-enum': known } = schema;
  if (known) {
    const types = [schema.type].flat().includes('null') ? [...known, 'null'] : known;
    return `${types.join(' | ')} | …`;
  }
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
