import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { type FakeService, startFakeService } from './fake-service.ts';
import { MAIN, rr, startRr } from './rr.ts';

let service: FakeService;
let scratch: string;
beforeEach(async () => {
  service = await startFakeService();
  scratch = await mkdtemp(join(tmpdir(), 'recording-request-mcp-'));
});
afterEach(async () => {
  await service[Symbol.asyncDispose]();
  await rm(scratch, { recursive: true, force: true });
});

const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const clientInfo = { name: 'test', version: '1' };
const HELLO =
  line({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } }) +
  line({ method: 'notifications/initialized' });
const LIST = line({ id: 2, method: 'tools/call', params: { name: 'list_projects', arguments: {} } });
const answersOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map(each => JSON.parse(each));
const refuse = (status: number, code: string, sentence: string) => {
  service.intercept = (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'error-code': code });
    response.end(JSON.stringify({ error: sentence }));
    return true;
  };
};

test('calls that are under way when stdin closes are answered; stdout has messages alone', async () => {
  service.intercept = (request, response) => {
    if (!request.url!.startsWith('/api/projects?')) return false;
    response.writeHead(200, { 'content-type': 'application/json' });
    // The answer comes after the end of stdin.
    setImmediate(() => response.end('{"projects":[],"pagination":{"nextCursor":null}}'));
    return true;
  };
  const { code, stdout, stderr } = await rr(service.url, ['mcp'], scratch, `${HELLO}no message\n${LIST}`);
  assert.equal(code, 0, stderr);
  const answers = answersOf(stdout);
  assert.deepEqual(
    answers.map(({ id }) => id),
    [1, 2],
  );
  assert.deepEqual(answers[1].result.structuredContent, { projects: [] });
  assert.match(stderr, /^Serving the tools of http.*\nA message was ignored: it is no valid message/);
});

test('a refused token and a wrong address end the command with a sentence', async () => {
  refuse(401, 'unauthorized', 'The token is unknown.');
  const refused = await rr(service.url, ['mcp'], scratch, HELLO);
  assert.deepEqual(
    [refused.code, refused.stdout, refused.stderr],
    [3, '', 'rr: The token is unknown. Run rr login, or set RR_TOKEN.\n'],
  );
  refuse(404, 'not_found', 'There is no such route.');
  const other = await rr(service.url, ['mcp'], scratch, HELLO);
  assert.deepEqual([other.code, other.stdout], [6, '']);
  assert.match(other.stderr, /has no \/api\/me: it is not the address of the service/);
  service.intercept = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
    return true;
  };
  const proxy = await rr(service.url, ['mcp'], scratch, HELLO);
  assert.deepEqual([proxy.code, proxy.stdout], [6, '']);
  assert.match(proxy.stderr, /answered 200 with text\/html/);
  const none = await rr('', ['mcp'], scratch, HELLO);
  assert.deepEqual([none.code, /There is no address\. Run rr login/.test(none.stderr)], [3, true]);
});

test('the command starts during an outage; each tool says that the service is not reachable', async () => {
  refuse(503, 'unavailable', 'The service starts.');
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args: [MAIN, 'mcp'], stderr: 'pipe' },
    env: { RR_BASE_URL: service.url, RR_TOKEN: 'api_secret', XDG_CONFIG_HOME: scratch },
  });
  let stderr = '';
  transport.stderr!.on('data', part => {
    stderr += part;
  });
  const client = new Client(clientInfo);
  await client.connect(transport);
  assert.equal((await client.listTools()).tools.length, 9);
  service.intercept = request => {
    request.socket.destroy();
    return true;
  };
  const call = async () =>
    (await client.callTool({ name: 'list_projects', arguments: {} })) as CallToolResult & {
      content: { text: string }[];
    };
  const lost = await call();
  assert.equal(lost.isError, true);
  const { error, code } = JSON.parse(lost.content[0]!.text);
  assert.match(error, /^http:\/\/127\.0\.0\.1:\d+ is not reachable: .*Check the address \(RR_BASE_URL or rr login\)/);
  assert.equal(code, 'unavailable');
  service.intercept = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"projects":[],"pagination":{"nextCursor":null}}');
    return true;
  };
  assert.deepEqual((await call()).structuredContent, { projects: [] });
  await client.close();
  assert.match(stderr, /The tools work as soon as the service does/);
  assert.doesNotMatch(stderr, /api_secret/);
});

test('Ctrl-C ends it with 130, and a message without an end with 5', async () => {
  const serving = startRr(service.url, ['mcp'], scratch, null);
  await serving.says(/Serving the tools/);
  serving.child.kill('SIGINT');
  assert.equal((await serving.done).code, 130);
  const flooded = startRr(service.url, ['mcp'], scratch, null);
  await flooded.says(/Serving the tools/);
  flooded.child.stdin.write('x'.repeat(300 * 1024));
  const { code, stderr } = await flooded.done;
  assert.deepEqual([code, /A message is longer than 256 KiB/.test(stderr)], [5, true]);
});
