import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { json, text } from 'node:stream/consumers';
import { test } from 'node:test';
import { DomainError } from '@recording-request/kit/errors';
import { until } from '@recording-request/testing/wait';
import { pino } from 'pino';
import { asProject, PROJECT_ID, startTestGateway } from './test-service.ts';

interface Line {
  level: number;
  requestId: string;
  msg: string;
  route?: string;
  status?: number;
  projectId?: string;
  err?: { message: string };
}

const submissions = { countSubmissions: async () => ({ counts: {} }) };
const { info, warn, error } = pino.levels.values;

test('each request has one log line at the right level, and a health check has none', async () => {
  const lines: Line[] = [];
  const log = pino({ level: 'debug' }, { write: (text: string) => void lines.push(JSON.parse(text)) });
  let failure: Error | undefined;
  const getProject = async () => {
    if (failure) throw failure;
    return { project: asProject() };
  };
  await using gateway = await startTestGateway({ projects: { getProject }, submissions }, {}, { log });
  const project = `/api/projects/${PROJECT_ID}`;
  const send = async (path: string, fails?: Error, init: RequestInit = {}): Promise<Line> => {
    failure = fails;
    const answer = await fetch(gateway.base + path, { headers: gateway.bearer, ...init });
    await answer.arrayBuffer();
    const mine = () => lines.filter(line => line.requestId === answer.headers.get('request-id'));
    await until('the line of a request', () => mine().length > 0);
    const [line, ...others] = mine();
    assert.deepEqual(others, [], path);
    assert.equal(line!.status, answer.status);
    return line!;
  };

  const read = await send(project);
  assert.deepEqual([read.level, read.status, read.projectId], [info, 200, PROJECT_ID]);
  assert.equal(read.route, '/api/projects/:projectId');
  for (const [path, init] of [
    ['/api/nothing', {}],
    ['/api/me', { method: 'DELETE' }],
    ['/api/me', { headers: {} }],
    ['/%zz', {}],
    [project, { method: 'PATCH', body: '{', headers: { ...gateway.bearer, 'content-type': 'application/json' } }],
  ] as const)
    assert.equal((await send(path, undefined, init)).level, info, path);
  assert.equal((await send(project, new DomainError('not_found', 'No.'))).level, info);
  const away = await send(project, new DomainError('unavailable', 'Away.', { cause: new Error('ECONNREFUSED') }));
  assert.deepEqual([away.level, away.status], [warn, 503]);
  const broken = await send(project, new TypeError('a bug'));
  assert.deepEqual([broken.level, broken.status], [error, 500]);
  assert.ok(broken.err);

  const before = lines.length;
  await (await fetch(`${gateway.base}/healthz`)).arrayBuffer();
  await send(project);
  assert.equal(lines.length, before + 1);
});

test('a request with an unmet Expect has one line, with the id of its answer', async () => {
  const lines: Line[] = [];
  const log = pino({ level: 'info' }, { write: (text: string) => void lines.push(JSON.parse(text)) });
  await using gateway = await startTestGateway({}, {}, { log });
  const { port } = new URL(gateway.base);
  const sent = request({ port, method: 'POST', path: '/api/projects', headers: { expect: 'a-miracle' } }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  assert.deepEqual(await json(answer), { error: 'Send no header Expect but 100-continue.' });
  assert.equal(answer.statusCode, 417);
  assert.partialDeepStrictEqual(answer.headers, { 'error-code': 'expectation_failed', connection: 'close' });
  const line = await until('its line', () => lines.find(({ status }) => status === 417));
  assert.equal(line.requestId, answer.headers['request-id']);
  assert.deepEqual([line.level, line.route], [info, '/api/projects']);
});

test('a request whose client leaves has one line too', async () => {
  const all: Line[] = [];
  const log = pino({ level: 'info' }, { write: (text: string) => void all.push(JSON.parse(text)) });
  const lines = () => all.filter(line => line.requestId !== undefined);
  const called = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const getProject = async () => {
    called.resolve();
    await answered.promise;
    return { project: asProject() };
  };
  await using gateway = await startTestGateway({ projects: { getProject }, submissions }, {}, { log });
  const { port, hostname } = new URL(gateway.base);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const { authorization } = gateway.bearer;
  socket.write(`GET /api/projects/${PROJECT_ID} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`);
  await called.promise;
  socket.destroy();
  await until('the line of a request', () => lines().length > 0);
  answered.resolve();
  await (await fetch(`${gateway.base}/api/projects/${PROJECT_ID}`, { headers: gateway.bearer })).arrayBuffer();
  await until('the line of the next', () => lines().length > 1);
  assert.deepEqual(
    lines().map(({ level, msg, status }) => [level, msg, status]),
    [
      [info, 'the client went away', undefined],
      [info, 'answered', 200],
    ],
  );
});

test('an answer to an incomplete request has one line, with the Request-Id that its client got', async () => {
  const lines: Line[] = [];
  const log = pino({ level: 'debug' }, { write: (text: string) => void lines.push(JSON.parse(text)) });
  await using gateway = await startTestGateway({}, {}, { log });
  const { hostname, port } = new URL(gateway.base);
  const head = `POST /api/projects HTTP/1.1\r\nHost: h\r\nAuthorization: ${gateway.bearer.authorization}\r\nContent-Type: application/json\r\n`;
  for (const [bytes, status] of [
    ['NONSENSE\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`, 431],
    ['CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 405],
    [`${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`, 400],
  ] as const) {
    const socket = connect(Number(port), hostname);
    socket.end(bytes);
    const answer = await text(socket);
    const [, requestId] = /Request-Id: ([0-9a-f]{32})\r\n/.exec(answer) ?? assert.fail(answer);
    const mine = () => lines.filter(line => line.requestId === requestId);
    await until('its line', () => mine().length > 0);
    assert.deepEqual(
      mine().map(line => [line.status, line.msg]),
      [[status, 'answered']],
      answer,
    );
  }
  const others = lines.filter(({ msg }) => msg === 'the client went away');
  assert.deepEqual(others, []);
});
