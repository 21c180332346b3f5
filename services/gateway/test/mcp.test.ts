import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { SCOPES } from '@recording-request/contract/resources/fields';
import { mintToken } from '@recording-request/contract/tokens';
import type { ListEventsRequest } from '@recording-request/proto/webhooks/v1/webhooks';
import { until } from '@recording-request/testing/wait';
import { pino } from 'pino';
import { type Calls, startOwnerGateway } from './owner-gateway.ts';
import { asProject, PROJECT_ID, SUBMISSION_ID, startTestGateway, type TestGateway } from './test-service.ts';

const ACCEPT = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const toolCall = (name: string, args: object = {}, id: unknown = 1) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name, arguments: args },
});

let owned: Awaited<ReturnType<typeof startOwnerGateway>>;
before(async () => {
  owned = await startOwnerGateway();
});
after(() => owned.harness[Symbol.asyncDispose]());

const post = (gateway: TestGateway, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${gateway.base}/mcp`, {
    method: 'POST',
    headers: { ...ACCEPT, ...gateway.bearer, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

async function connect(gateway: TestGateway, token = gateway.bearer.authorization) {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: token } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.base}/mcp`), { requestInit }));
  await client.listTools();
  const call = async (name: string, args: object = {}) =>
    (await client.callTool({ name, arguments: args as Record<string, unknown> })) as CallToolResult;
  return { client, call, [Symbol.asyncDispose]: () => client.close() };
}

const textOf = ({ content: [first] }: CallToolResult) => (first?.type === 'text' ? first.text : '');

test('the SDK’s client connects, lists the tools in at most 12 KB, and reads through the REST routes', async () => {
  const { harness } = owned;
  const listed = await post(harness, LIST);
  assert.equal(listed.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.match(listed.headers.get('request-id') ?? '', /./);
  const bytes = Buffer.byteLength(await listed.text());
  assert.ok(bytes <= 12 * 1_024, `${bytes} bytes`);

  await using agent = await connect(harness);
  const found = await agent.call('search_clips', { projectId: PROJECT_ID, search: 'héllo' });
  assert.deepEqual((found.structuredContent as { clips: { moments: unknown }[] }).clips[0]!.moments, [
    { fromSec: 0.4, toSec: 2.1, untrusted: 'héllo & so on' },
  ]);
  assert.equal((owned.calls.listed as { search: string }).search, 'héllo');
  const { structuredContent: exported } = await agent.call('export_url', { projectId: PROJECT_ID, format: 'csv' });
  assert.equal((exported as { url: string }).url, `https://rec.example/api/projects/${PROJECT_ID}/export.csv`);
});

test('a write needs the confirm of a dry run with the same token and arguments', async () => {
  await using agent = await connect(owned.harness);
  const args = { projectName: 'Stories', links: 2 };
  const dry = (await agent.call('create_project', args)).structuredContent as { confirm: string; state: string };
  assert.equal(dry.state, 'dry_run');
  assert.equal(owned.calls.created, undefined);
  const refused = await agent.call('create_project', { ...args, links: 3, confirm: dry.confirm });
  assert.match(textOf(refused), /Nothing was changed/);
  const other = `Bearer ${owned.harness.tokenWith([...SCOPES])}`;
  await using another = await connect(owned.harness, other);
  assert.match(textOf(await another.call('create_project', { ...args, confirm: dry.confirm })), /Nothing was changed/);
  assert.equal(owned.calls.created, undefined);

  const done = await agent.call('create_project', { ...args, confirm: dry.confirm });
  assert.equal((done.structuredContent as { projectId: string }).projectId, PROJECT_ID);
  assert.match((owned.calls as Calls).created?.idempotencyKey ?? '', /^mcp-/);
  assert.doesNotMatch(textOf(done), /prj_/, 'the dashboard’s address stays out of the conversation');
  // The key depends only on the token, not on the spelling of the header.
  const again = await post(
    owned.harness,
    toolCall('create_project', { confirm: dry.confirm, links: 2, projectName: 'Stories' }),
    {
      authorization: owned.harness.bearer.authorization.replace('Bearer ', 'bearer   '),
    },
  );
  assert.match(await again.text(), /"state":"done"/);
});

test('without a token, with a wrong one or of another kind: 401; each tool needs its scope', async () => {
  const { harness } = owned;
  for (const authorization of ['', 'Bearer x', `Bearer ${mintToken('api')}`, `Bearer ${mintToken('prj')}`]) {
    const refused = await post(harness, LIST, { authorization });
    assert.equal(refused.status, 401, authorization);
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
    assert.deepEqual(Object.keys((await refused.json()) as object), ['error']);
  }
  await using agent = await connect(harness, `Bearer ${harness.tokenWith(['links:read'])}`);
  const refused = await agent.call('list_projects');
  assert.equal(refused.isError, true);
  assert.deepEqual(JSON.parse(textOf(refused)), {
    ...{ error: 'The token lacks the scope projects:read.', status: 403, code: 'scope_missing' },
  });
});

test('other methods, origins, bodies and messages are clear errors', async () => {
  const { harness } = owned;
  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
    const refused = await fetch(`${harness.base}/mcp`, { method, headers: { ...ACCEPT, ...harness.bearer } });
    assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'POST'], method);
  }
  const status = async (body: unknown, headers?: Record<string, string>) => {
    const answer = await post(harness, body, headers);
    const text = await answer.text();
    assert.match(text, /"error":/, text);
    assert.ok(answer.headers.get('error-code'), `${answer.status}`);
    return answer.status;
  };
  for (const origin of ['https://evil.example', 'http://rec.example', 'null', 'https://rec.example.evil.example'])
    assert.equal(await status(LIST, { origin }), 403, origin);
  assert.equal((await post(harness, LIST, { origin: 'https://rec.example' })).status, 200);

  assert.equal(await status('{'), 400);
  assert.equal(await status(''), 400);
  for (const body of ['"text"', '5', 'null']) assert.equal(await status(body), 400, body);
  for (const body of [{}, { jsonrpc: '1.0', id: 1, method: 'x' }, { jsonrpc: '2.0', id: {}, method: 'x' }, [], [{}]])
    assert.equal(await status(body), 400, JSON.stringify(body));
  assert.equal(await status({ ...LIST, params: { filler: 'x'.repeat(300 * 1_024) } }), 413);
  assert.equal(await status(Array.from({ length: 11 }, (_, id) => ({ ...LIST, id }))), 400);
  assert.equal(await status(LIST, { 'content-type': 'text/plain' }), 415);
  assert.equal(await status(LIST, { accept: 'application/json' }), 406);
  assert.equal(await status(LIST, { 'mcp-protocol-version': '1999-01-01' }), 400);
  const query = await fetch(`${harness.base}/mcp?x=1`, {
    method: 'POST',
    headers: { ...ACCEPT, ...harness.bearer },
    body: JSON.stringify(LIST),
  });
  assert.equal(query.status, 400);

  const unknown = (await (await post(harness, { ...LIST, method: 'tools/erase' })).json()) as {
    error: { code: number };
  };
  assert.equal(unknown.error.code, -32_601);
  const noTool = (await (await post(harness, toolCall('erase_project'))).json()) as {
    error: { code: number; message: string };
  };
  assert.equal(noTool.error.code, -32_602);
  assert.match(noTool.error.message, /There is no such tool/);
});

test('a batch of ten calls is answered, and a notification is 202', async () => {
  const batch = Array.from({ length: 10 }, (_, id) => toolCall('list_projects', {}, id));
  const answers = (await (await post(owned.harness, batch)).json()) as { id: number; result: CallToolResult }[];
  assert.deepEqual(
    answers.map(({ id }) => id).sort(),
    batch.map(({ id }) => id as number),
  );
  assert.ok(answers.every(({ result }) => !result.isError));
  const noted = await post(owned.harness, { jsonrpc: '2.0', method: 'notifications/initialized' });
  assert.deepEqual([noted.status, await noted.text()], [202, '']);
});

test('a batch that no response could answer is refused at once', async () => {
  const call = toolCall('list_projects', {}, 1);
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  for (const batch of [
    [call, cancel],
    [call, call],
  ])
    assert.equal((await post(owned.harness, batch)).status, 400);
});

test('metadata that are no texts are refused by name, however deep', async () => {
  const metadata = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`);
  const args = { projectId: PROJECT_ID, people: [{ name: 'Ana', metadata }], confirm: 'x' };
  const answer = (await (await post(owned.harness, toolCall('invite', args))).json()) as { result: CallToolResult };
  assert.match(textOf(answer.result), /metadata/);
});

test('every request of a tool counts for its token, and 429 says how long to wait', async () => {
  await using limited = await startTestGateway(
    {
      projects: { listProjects: async () => ({ summaries: [] }) },
      submissions: { countSubmissions: async () => ({ counts: {} }) },
    },
    { RATE_LIMIT_TOKEN_PER_MINUTE: '5' },
  );
  const send = async () => {
    const answer = await post(limited, toolCall('list_projects'));
    return answer.status === 200 ? ((await answer.json()) as { result: CallToolResult }).result : answer.status;
  };
  for (const _ of [1, 2]) assert.ok(!((await send()) as CallToolResult).isError);
  const refused = JSON.parse(textOf((await send()) as CallToolResult));
  assert.deepEqual([refused.status, refused.code], [429, 'rate_limited']);
  assert.ok(refused.retryAfterSec > 0);
  assert.equal(await send(), 429);
});

test('each inner request has its log line with its route; a client that leaves ends the wait of a tool', async () => {
  const lines: { route?: string; status?: number; msg: string; ownerId?: string }[] = [];
  const log = pino({ level: 'info' }, { write: (text: string) => void lines.push(JSON.parse(text)) });
  const waits: { request: ListEventsRequest; signal: AbortSignal }[] = [];
  await using gateway = await startTestGateway(
    {
      projects: { getProject: async () => ({ project: asProject() }) },
      webhooks: {
        listEvents: (request, { signal }) =>
          new Promise((_, reject) => {
            waits.push({ request, signal });
            signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          }),
      },
    },
    {},
    { log },
  );
  const lineOf = (route: string) => lines.find(line => line.route === route);
  const answer = await post(gateway, toolCall('get_clip', { projectId: PROJECT_ID, submissionId: SUBMISSION_ID }));
  assert.match(await answer.text(), /not_found/);
  await until('both lines', () => lineOf('/mcp') !== undefined);
  const { status, msg, ownerId } = lineOf('/api/projects/:projectId/submissions/:submissionId')!;
  assert.deepEqual([status, msg, ownerId !== undefined], [404, 'answered', true]);

  const leaving = new AbortController();
  const gone = fetch(`${gateway.base}/mcp`, {
    ...{ method: 'POST', headers: { ...ACCEPT, ...gateway.bearer }, signal: leaving.signal },
    body: JSON.stringify(toolCall('what_happened', { waitSec: 25 })),
  }).catch(() => undefined);
  await until('the wait', () => waits.length === 1);
  assert.equal(waits[0]!.request.waitSeconds, 25);
  leaving.abort();
  await gone;
  await until('the end of the wait', () => waits[0]!.signal.aborted);
});

test('MCP=off removes the route', async () => {
  await using off = await startTestGateway({}, { MCP: 'off' });
  assert.equal((await post(off, LIST)).status, 404);
});
