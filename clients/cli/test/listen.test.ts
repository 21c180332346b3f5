import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { unwrap } from '@recording-request/client';
import { type FakeService, startFakeService } from './fake-service.ts';
import { rr, startRr } from './rr.ts';

let service: FakeService;
let scratch: string;
let local: Server;
let url: string;
let got: { id: string; body: string; headers: Record<string, string> }[];
let respond: (response: ServerResponse) => void;
beforeEach(async () => {
  service = await startFakeService();
  service.events = [1, 2, 3, 4].map(number => ({ eventId: `e${number}`, type: 'link.closed', erased: number === 3 }));
  scratch = await mkdtemp(join(tmpdir(), 'recording-request-listen-'));
  got = [];
  respond = response => response.writeHead(204).end();
  local = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    got.push({ id: String(request.headers['webhook-id']), body, headers: request.headers as Record<string, string> });
    respond(response);
  });
  await new Promise<void>(resolve => local.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(local.address() as AddressInfo).port}/hook`;
});
afterEach(async () => {
  local.closeAllConnections();
  await new Promise(resolve => local.close(resolve));
  await service[Symbol.asyncDispose]();
  await rm(scratch, { recursive: true, force: true });
});

const ARGS = ['listen', '--until-idle', '--since', '1d', '--cursor-file', 'c', '--forward-to'];

test('a refused event comes again before the next one; an erased one is left out', async () => {
  let refusals = 1;
  respond = response => response.writeHead(got.length === 2 && refusals-- > 0 ? 500 : 204).end();
  const { code, stderr } = await rr(service.url, [...ARGS, url], scratch);
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    got.map(({ id }) => id),
    ['e1', 'e2', 'e2', 'e4'],
  );
  service.events.push({ eventId: 'e5', type: 'link.closed' });
  await rr(service.url, [...ARGS, url], scratch);
  assert.deepEqual(
    got.slice(4).map(({ id }) => id),
    ['e5'],
  );
});

test('a kill in the middle of a page repeats only the event without an answer', async () => {
  const listening = startRr(service.url, [...ARGS, url], scratch);
  respond = response => (got.length === 2 ? listening.child.kill('SIGKILL') : response.writeHead(204).end());
  await listening.done;
  respond = response => response.writeHead(204).end();
  assert.equal((await rr(service.url, [...ARGS, url], scratch)).code, 0);
  assert.deepEqual(
    got.map(({ id }) => id),
    ['e1', 'e2', 'e2', 'e4'],
  );
});

test('events are signed with the printed secret, which is stored for the user alone', async () => {
  const secret = (await rr(service.url, ['listen', '--print-secret'], scratch)).stdout.trim();
  assert.match(secret, /^whsec_/);
  assert.equal((await stat(join(scratch, 'recording-request'))).mode & 0o777, 0o600);
  await rr(service.url, [...ARGS, url, '--header-prefix', 'shop'], scratch);
  const { body, headers } = got[0]!;
  assert.equal((await unwrap(body, headers, secret)).type, 'link.closed');
  assert.equal(headers['shop-event'], 'link.closed');
  const { id, type, createdAt, data } = JSON.parse(body);
  assert.deepEqual([id, type, typeof createdAt, typeof data], ['e1', 'link.closed', 'string', 'object']);
});

test('a cursor file of something else, and one in use, are refused', async () => {
  await writeFile(join(scratch, 'c'), 'my notes');
  const foreign = await rr(service.url, [...ARGS, url], scratch);
  assert.deepEqual([foreign.code, /no cursor file/.test(foreign.stderr)], [7, true]);
  assert.equal(await readFile(join(scratch, 'c'), 'utf8'), 'my notes');
  await rm(join(scratch, 'c'));
  const first = startRr(service.url, [...ARGS, url], scratch);
  const held = Promise.withResolvers<ServerResponse>();
  respond = held.resolve;
  const answer = await held.promise;
  const second = await rr(service.url, [...ARGS, url], scratch);
  assert.deepEqual([second.code, /Another rr uses the cursor file/.test(second.stderr)], [7, true]);
  respond = response => response.writeHead(204).end();
  answer.writeHead(204).end();
  assert.equal((await first.done).code, 0);
});

test('an expired place is an error that says so', async () => {
  service.intercept = (_, response) => {
    response.writeHead(410, { 'content-type': 'application/json', 'error-code': 'cursor_expired' });
    response.end('{"error":"The cursor has expired."}');
    return true;
  };
  const { code, stderr } = await rr(service.url, [...ARGS, url], scratch);
  assert.deepEqual([code, /some are missed/.test(stderr)], [4, true]);
});
