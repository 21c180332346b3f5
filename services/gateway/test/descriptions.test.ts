import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { stripTypeScriptTypes } from 'node:module';
import { after, test } from 'node:test';
import { DEFAULTS } from '@recording-request/contract/limits';
import { SubmissionsQuery } from '@recording-request/contract/requests';
import { MEDIA_STATUSES, TRANSCRIPT_STATUSES } from '@recording-request/contract/resources/fields';
import { WEBHOOK_EVENTS } from '@recording-request/contract/webhook-events';
import { TOOLS } from '@recording-request/mcp/tools';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { creationOf } from '../src/clients/project-settings.ts';
import { guidesOf } from '../src/docs/guides.ts';
import { preludes, type Sampled, samplesOf } from '../src/docs/request-samples.ts';
import { startTestGateway } from './test-service.ts';

const harness = await startTestGateway();
after(() => harness[Symbol.asyncDispose]());

type Content = Record<string, { schema?: unknown; example?: unknown }>;
interface Operation {
  operationId: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; example?: unknown }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content; headers?: object }>;
}

const document = (await (await fetch(`${harness.base}/api/openapi.json`)).json()) as {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, { anyOf?: { $ref: string }[]; properties?: Record<string, { const?: string }> }>;
  };
  webhooks: Record<
    string,
    { post: { requestBody: { content: { 'application/json': { examples: Record<string, { value: object }> } } } } }
  >;
};

/** Encodes a step of a JSON pointer for a URI. */
const step = (name: string) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));

type Node = { properties?: object; additionalProperties?: unknown };

/** Returns a copy whose objects allow only their described fields: an example must not have other fields. */
function closed<T>(part: T): T {
  if (Array.isArray(part)) return part.map(closed) as T;
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, closed(value)])) as Node;
  return (copy.properties ? { additionalProperties: false, ...copy } : copy) as T;
}

test('answers may get more fields within version 1; bodies allow no others', () => {
  const shut = (part: unknown): number => {
    if (typeof part !== 'object' || part === null) return 0;
    const own = (part as Node).additionalProperties === false ? 1 : 0;
    return Object.values(part).reduce((sum: number, each) => sum + shut(each), own);
  };
  const operations = Object.values(document.paths).flatMap(each => Object.values(each));
  assert.equal(shut((document as { components?: unknown }).components), 0, 'a resource is closed');
  for (const { operationId, responses, requestBody } of operations) {
    assert.equal(shut(responses), 0, `an answer of ${operationId} is closed`);
    if (requestBody?.content['application/json'])
      assert.ok(shut(requestBody) > 0, `the body of ${operationId} is open`);
  }
});

test('every example fits its schema, and every JSON body, answer and error has one', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(closed(document), 'doc:openapi');
  let looked = 0;
  const look = (content: Content | undefined, ...pointer: string[]) => {
    for (const [type, { schema, example }] of Object.entries(content ?? {})) {
      if (type !== 'application/json' || Object.keys(schema ?? {}).length === 0) continue;
      const at = [...pointer, 'content', type, 'schema'].map(step).join('/');
      assert.notEqual(example, undefined, `${at} has no example`);
      const validate = ajv.compile({ $ref: `doc:openapi#/${at}` });
      assert.ok(validate(example), `${at}: ${ajv.errorsText(validate.errors)}`);
      looked++;
    }
  };
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { requestBody, responses }] of Object.entries(methods)) {
      look(requestBody?.content, 'paths', path, method, 'requestBody');
      for (const [status, { content }] of Object.entries(responses)) {
        look(content, 'paths', path, method, 'responses', status);
      }
    }
  }
  assert.ok(looked > 200, `${looked} examples`);
});

test('openapi.json describes the webhooks: one body per type, with a complete example', () => {
  const { examples } = document.webhooks.event!.post.requestBody.content['application/json'];
  assert.deepEqual(Object.keys(examples).sort(), [...WEBHOOK_EVENTS].sort());
  const ajv = new Ajv2020({ strict: false, validateFormats: false, discriminator: false });
  ajv.addSchema(closed(document), 'doc:openapi');
  const validate = ajv.compile({ $ref: 'doc:openapi#/components/schemas/WebhookEvent' });
  const { schemas } = document.components;
  const refs = schemas.WebhookEvent!.anyOf!.map(({ $ref }) => $ref);
  const nameOf = (ref: string) => ref.split('/').at(-1)!;
  const refOf = (type: string) => refs.find(ref => schemas[nameOf(ref)]!.properties!.type!.const === type);
  for (const [type, { value }] of Object.entries(examples)) {
    assert.ok(validate(value), `${type}: ${ajv.errorsText(validate.errors)}`);
    const one = ajv.compile({ $ref: `doc:openapi${refOf(type)}` });
    assert.ok(one(value), `${type} is not its ${refOf(type)}`);
    assert.ok(!one({ ...value, type: 'another' }), 'the type decides');
  }
});

test('a later value, event type or length fits the descriptions of answers', () => {
  const closedAt: string[] = [];
  const look = (part: unknown, path: string): void => {
    if (typeof part !== 'object' || part === null) return;
    const { enum: values, maximum, maxLength, const: only } = part as Record<string, unknown>;
    const isEventType = /Event\/properties\/type$/.test(path);
    if (values || maximum !== undefined || maxLength !== undefined || (only !== undefined && !isEventType))
      closedAt.push(path);
    for (const [name, each] of Object.entries(part)) if (!name.startsWith('example')) look(each, `${path}/${name}`);
  };
  const { schemas } = document.components;
  // Request schemas stay strict.
  const requested = ['TranscriptStatus', 'MediaStatus', 'LinkStatus'];
  for (const [name, schema] of Object.entries(schemas)) if (!requested.includes(name)) look(schema, name);
  for (const { operationId, responses } of Object.values(document.paths).flatMap(each => Object.values(each))) {
    look(responses, operationId);
    for (const name of requested)
      assert.doesNotMatch(JSON.stringify(responses), new RegExp(`/${name}"`), `${operationId} answers a closed list`);
  }
  assert.deepEqual(closedAt, []);

  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'doc:openapi');
  const fits = (name: string, value: unknown) => {
    const validate = ajv.compile({ $ref: `doc:openapi#/components/schemas/${name}` });
    assert.ok(validate(value), `${name}: ${ajv.errorsText(validate.errors)}`);
  };
  const get = '/api/projects/{projectId}/submissions/{submissionId}';
  const clip = document.paths[get]!.get!.responses['200']!.content!['application/json']!.example as object;
  fits('Submission', { ...clip, transcriptStatus: 'translating', mediaStatus: 'archived', mood: { happy: true } });
  const event = document.webhooks.event!.post.requestBody.content['application/json'].examples['webhook.test']!.value;
  fits('WebhookEvent', { ...event, type: 'submission.translated' });
});

test('the page shows every operation and every resource, and loads nothing from elsewhere', async () => {
  const answer = await fetch(`${harness.base}/api/docs`);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
  const page = await answer.text();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { operationId }] of Object.entries(methods)) {
      assert.ok(page.includes(`<article id="${operationId}">`), operationId);
      assert.ok(page.includes(`${method.toUpperCase()} ${path}`), path);
    }
  }
  const outsideCode = page.replaceAll(/<pre>[\s\S]*?<\/pre>/g, '');
  assert.doesNotMatch(outsideCode, /.{0,60}(?:`|\*\*).{0,60}/, 'raw Markdown in a description');
  const [, webhooks = ''] = page.split('<article id="receiveEvent">');
  assert.match(page, /<nav[\s\S]*href="#receiveEvent"[\s\S]*<\/nav>/, 'the contents name the webhooks');
  for (const type of WEBHOOK_EVENTS) assert.match(webhooks, new RegExp(`<summary><code>${type}</code>`), type);
  assert.match(page, /<article id="resource-WebhookEvent">.*href="#resource-SubmissionCompletedEvent"/, 'its kinds');
  for (const [, anchor = ''] of page.matchAll(/href="#([^"]+)"/g)) assert.ok(page.includes(`id="${anchor}"`), anchor);
  for (const [, from = ''] of page.matchAll(/(?:src|<link[^>]*href)="([^"]+)"/g)) assert.match(from, /^\/assets\//);
  assert.doesNotMatch(
    page,
    /<script(?! type="module" src="\/assets\/docs\.js"><\/script>)|\[object Object\]|undefined/,
  );
});

test('docs.md and the guide to webhooks name every filter of the owner’s list, every state of a clip and every event', async () => {
  const pages = ['/api/docs.md', '/api/docs/webhooks.md'].map(async path => (await fetch(harness.base + path)).text());
  const prose = (await Promise.all(pages)).join('\n');
  const names = [...Object.keys(SubmissionsQuery.properties), ...MEDIA_STATUSES, ...TRANSCRIPT_STATUSES];
  for (const name of [...names, ...WEBHOOK_EVENTS]) assert.match(prose, new RegExp(`\\b${name}\\b`), name);
});

test('the sample for reminders keeps the events that the guide to webhooks requests', async () => {
  const requested = async (name: string): Promise<string[]> => {
    const guide = await (await fetch(`${harness.base}/api/docs/${name}.md`)).text();
    return JSON.parse(/"webhookEvents": (\[.*?\])/.exec(guide)![1]!);
  };
  const reminded = await requested('people');
  for (const type of [...(await requested('webhooks')), 'link.reminder_due']) assert.ok(reminded.includes(type), type);
});

test('the description of a creation has the defaults that the gateway applies', () => {
  type Body = { properties: Record<string, { default?: unknown }> };
  const bodyOf = (method: string, path: string) =>
    document.paths[path]![method]!.requestBody!.content['application/json']!.schema as Body;
  const { properties } = bodyOf('post', '/api/projects');
  const { settings, expiresInSeconds } = creationOf({ projectName: 'x', count: 1 }, DEFAULTS.expiresInDays * 86_400);
  const expected = {
    ...{ ...settings, webhookSecret: '', neverExpire: false },
    expiresInDays: expiresInSeconds! / 86_400,
  };
  for (const [name, { default: described }] of Object.entries(properties)) {
    if (['projectName', 'count', 'expiresInHours'].includes(name)) assert.equal(described, undefined, name);
    else assert.deepEqual(described, (expected as Record<string, unknown>)[name], name);
  }
  const updated = Object.entries(bodyOf('patch', '/api/projects/{projectId}').properties);
  for (const [name, field] of updated) assert.ok(!('default' in field), `an update leaves ${name} as it is`);
});

test('the rates, the longest body and the life of an Idempotency-Key are in both descriptions', async () => {
  const prose = await (await fetch(`${harness.base}/api/docs.md`)).text();
  const json = JSON.stringify(document);
  for (const text of [prose, json]) {
    for (const limit of ['1,200 requests a minute for a token', '300 for an address', '1,048,576 bytes', '24 hours'])
      assert.ok(text.includes(limit), limit);
  }
  assert.doesNotMatch(prose, /Idempotency-Key: \$\(date/, 'a key that a retry does not send again');
});

test('the example of a 400 is about its own route', () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { operationId, parameters = [], requestBody, responses }] of Object.entries(methods)) {
      const { error } = (responses['400']?.content?.['application/json']?.example ?? {}) as { error?: string };
      if (error === undefined) continue;
      const [name = ''] = /^[\w-]+/.exec(error)!;
      const fields = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
        Object.keys((schema as { properties?: object }).properties ?? {}),
      );
      const taken = [...parameters.map(each => each.name), ...fields];
      const isUnknownName = error.startsWith('page is not a parameter');
      assert.notEqual(taken.includes(name), isUnknownName, `${method} ${path} (${operationId}): ${error}`);
    }
  }
});

test('the example of a 403 names the scope of its operation', () => {
  let looked = 0;
  for (const { operationId, security, responses } of Object.values(document.paths).flatMap(each =>
    Object.values(each),
  )) {
    const { example } = responses['403']?.content?.['application/json'] ?? {};
    const [scope] = security?.flatMap(each => Object.values(each).flat()) ?? [];
    if (example === undefined || scope === undefined) continue;
    assert.deepEqual(example, { error: `The token lacks the scope ${scope}.` }, operationId);
    looked++;
  }
  assert.ok(looked > 30, `${looked} examples`);
});

test('a linter of descriptions finds no problem', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  assert.deepEqual(
    problems.map(({ ruleId, message }) => `${ruleId}: ${message}`),
    [],
  );
});

test('headers, partial content, 304, HEAD and the names of enumerations are described', () => {
  const { components } = document as unknown as { components: Record<string, Record<string, { enum?: string[] }>> };
  const at = (method: string, path: string) => document.paths[path]![method]!;
  const headersOf = (status: string, { responses }: Operation) => Object.keys(responses[status]?.headers ?? {});
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      for (const status of Object.keys(operation.responses)) {
        const names = headersOf(status, operation);
        assert.ok(names.includes('Request-Id'), `${method} ${path} ${status}`);
        assert.equal(names.includes('Error-Code'), Number(status) >= 400, `${method} ${path} ${status}`);
        if (status === '429' || status === '503') assert.ok(names.includes('Retry-After'), `${method} ${path}`);
      }
    }
  }
  assert.ok(headersOf('200', at('post', '/api/projects')).includes('Idempotent-Replayed'));
  assert.ok(headersOf('429', at('get', '/api/me')).includes('RateLimit'));
  const video = '/api/projects/{projectId}/submissions/{submissionId}/video';
  assert.ok(headersOf('206', at('get', video)).includes('Content-Range'));
  assert.ok(headersOf('304', at('get', video)).includes('ETag'));
  assert.deepEqual(Object.keys(document.paths[video]!), ['get', 'head']);
  const zip = '/api/projects/{projectId}/export/project.zip';
  assert.deepEqual(Object.keys(document.paths[zip]!), ['get', 'head']);
  assert.ok(headersOf('206', at('get', zip)).includes('Content-Range'));
  assert.equal(at('head', video).responses['200']?.content, undefined);
  for (const name of ['TranscriptStatus', 'MediaStatus', 'LinkStatus'])
    assert.ok(components.schemas?.[name]?.enum, name);
  const tus = document.paths['/r/{token}/uploads/{uploadId}']!;
  assert.deepEqual(Object.keys(tus), ['head', 'patch', 'delete']);
});

test('every page of the docs is also Markdown, and llms.txt leads to each and to the server for agents', async () => {
  const base = 'https://rec.example';
  const read = async (path: string, type: string) => {
    const answer = await fetch(harness.base + path);
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, `${type}; charset=utf-8`], path);
    return await answer.text();
  };
  const llms = await read('/llms.txt', 'text/plain');
  assert.match(llms, /^# Recording Request\n\n> /);
  const prose = await read('/api/docs.md', 'text/markdown');
  const whole = await read('/api/docs', 'text/html');
  const guides = guidesOf({ mcp: 'on' });
  assert.deepEqual([guides[0]?.name, guides.length], ['start', 6]);
  for (const { name, title } of guides) {
    const path = `/api/docs/${name}`;
    const text = await read(`${path}.md`, 'text/markdown');
    assert.match(text, new RegExp(`^# ${title}$`, 'm'), path);
    assert.doesNotMatch(text, /<\/(?:p|h1|table|code)>|\[object Object\]|record\.example/, path);
    assert.ok(text.split(/\s+/).length < 3_000, `${path} has too many words`);
    for (const list of [llms, prose]) assert.ok(list.includes(`[${title}](${base}${path}.md)`), path);
    assert.ok(whole.includes(`<a href="${path}">${title}</a>`), path);
    const page = await read(path, 'text/html');
    assert.ok(page.includes(`>${title}</h1>`), path);
    for (const other of guides)
      assert.equal(
        page.includes(`<a href="/api/docs/${other.name}">${other.title}</a> ·`) ||
          page.includes(`· <a href="/api/docs/${other.name}">${other.title}</a>`),
        other.name !== name,
        `${path} and ${other.name}`,
      );
    for (const [, address = ''] of text.matchAll(/\]\((\/[^)#]*)/g))
      assert.equal((await fetch(harness.base + address)).status, 200, `${path}: ${address}`);
    for (const [, anchor] of page.matchAll(/href="#([^"]+)"/g))
      assert.ok(page.includes(`id="${anchor}"`), `${path}#${anchor}`);
  }
  for (const [, address = ''] of llms.matchAll(/\]\((.*?)\)/g)) {
    const { status } = await fetch(address.replace(base, harness.base), {
      method: address.endsWith('/mcp') ? 'POST' : 'GET',
    });
    assert.equal(status, address.endsWith('/mcp') ? 401 : 200, address);
  }
  const tools = await read('/api/docs/agents.md', 'text/markdown');
  for (const { name, scope } of TOOLS) assert.ok(tools.includes(`| ${name} | ${scope} |`), name);

  const html = await read('/api/docs/recorder', 'text/html');
  for (const name of ['record.mts', 'record.mjs', 'record.py'])
    assert.ok(html.includes(`<pre><code id="${name}">`), name);
  assert.match(html, /<th scope="row">409 to <code>PATCH<\/code><\/th><td>The offset/);
  assert.match(html, /<code>GET …\/responses\/&lt;responseSessionId&gt;<\/code>/);

  await using off = await startTestGateway({}, { MCP: 'off' });
  for (const path of ['/llms.txt', '/api/docs.md', '/api/docs', '/api/docs/start'])
    assert.doesNotMatch(await (await fetch(off.base + path)).text(), /mcp|docs\/agents/i, path);
  assert.equal((await fetch(`${off.base}/api/docs/agents`)).status, 404);
});

test('descriptions are cached by their ETag', async () => {
  const documents = ['/api/docs', '/api/docs.md', '/api/docs/start', '/api/docs/recorder', '/api/docs/recorder.md'];
  for (const path of ['/api/openapi.json', ...documents, '/assets/docs.js']) {
    const first = await fetch(harness.base + path);
    assert.equal(first.status, 200, path);
    const etag = first.headers.get('etag') ?? '';
    assert.ok(etag.length > 20 && !first.headers.get('cache-control')?.includes('no-store'), path);
    // A text has several encodings, so its ETag is weak in each encoding and in the 304.
    for (const encoding of ['br', 'gzip', 'identity']) {
      const headers = { 'accept-encoding': encoding };
      const whole = await fetch(harness.base + path, { headers });
      assert.deepEqual([whole.headers.get('etag'), whole.headers.get('vary')], [etag, 'accept-encoding'], path);
      await whole.arrayBuffer();
      const again = await fetch(harness.base + path, { headers: { ...headers, 'if-none-match': etag } });
      assert.deepEqual([again.status, await again.text()], [304, ''], path);
      assert.deepEqual([again.headers.get('etag'), again.headers.get('vary')], [etag, 'accept-encoding'], path);
    }
    assert.match(etag, /^W\//, path);
  }
});

test('every operation has valid samples in curl, TypeScript and Python', () => {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      ...samplesOf({ ...(operation as Omit<Sampled, 'method' | 'path'>), method: method.toUpperCase(), path }),
    })),
  );
  const declared = preludes('https://record.example');
  for (const { path, curl, python } of all) {
    for (const [, id] of path.matchAll(/\{(\w+)\}/g))
      for (const [language, lines] of Object.entries(declared))
        assert.match(lines, new RegExp(`^(?:const )?${id} ?=`, 'm'), `${language} does not declare ${id}`);
    if (/ -o | -OJ/.test(curl)) {
      assert.match(curl, /^curl -sS -f "[\s\S]* -o [\w.]+$/, 'an error would become the file');
      assert.match(python, /stream=True[\s\S]*iter_content/, 'the whole file would be in memory');
    }
    assert.match(python, /^check\(answer\)$/m, 'the sentence of an error would be lost');
    assert.doesNotMatch(python, /answer\.content/);
  }
  const upload = samplesOf({
    ...(document.paths['/r/{token}/uploads']!.post as never as Sampled),
    method: 'POST',
    path: '/r/{token}/uploads',
  });
  assert.match(upload.curl, /"Upload-Length: \$\(wc -c < clip\.webm\)"/);
  assert.match(upload.curl, /"Upload-Metadata: responseSessionId \$\(printf %s "\$responseSessionId" \| base64\)"/);
  for (const { typescript } of all) assert.doesNotThrow(() => stripTypeScriptTypes(typescript), typescript);
  const read = (command: string, args: string[], input: string) =>
    assert.equal(spawnSync(command, args, { input, encoding: 'utf8' }).stderr, '', command);
  read('bash', ['-n'], all.map(({ curl }) => curl).join('\n'));
  read('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], all.map(({ python }) => python).join('\n'));
  const creation = samplesOf({
    ...(document.paths['/api/projects']!.post as never as Sampled),
    method: 'POST',
    path: '/api/projects',
  });
  assert.match(
    creation.curl,
    /^curl -sS --fail-with-body -X POST "\$BASE\/api\/projects" \\\n {2}-H "Authorization: Bearer \$TOKEN"/,
  );
  assert.match(creation.python, /json=\{\n {4}"projectName": "Customer stories",[\s\S]*"transcriptionEnabled": True/);
});
