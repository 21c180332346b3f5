import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { GoneError, RecordingRequest } from '@recording-request/client';
import { fileCursor } from '@recording-request/client/files';
import { cut, failure, json, scriptedServer } from './scripted-server.ts';

const scratch = await mkdtemp(join(tmpdir(), 'recording-request-events-'));
after(() => rm(scratch, { recursive: true, force: true }));

const page = (ids: string[], nextCursor: string, caughtUp = false) =>
  json({ events: ids.map(eventId => ({ eventId, type: 'x.later', data: null })), nextCursor, caughtUp });
const clientOf = (baseUrl: string) => new RecordingRequest({ baseUrl, token: 'api_x' });

/** A cursor store that logs. */
function memory(log: string[], cursor?: string) {
  return {
    load: () => cursor,
    save(next: string) {
      cursor = next;
      log.push(`save ${next}`);
    },
  };
}

test('the cursor is stored after the loop has finished with the page; a later loop continues there', async () => {
  await using server = await scriptedServer(page(['a', 'b'], 'c1'), page(['c'], 'c2', true));
  const log: string[] = [];
  const cursor = memory(log);
  for await (const { eventId } of clientOf(server.url).events({ cursor })) {
    log.push(eventId);
    if (eventId === 'c') break;
  }
  assert.deepEqual(log, ['a', 'b', 'save c1', 'c'], 'the page of c is read again');
  for await (const { eventId } of clientOf(server.url).events({ cursor, untilCaughtUp: true })) log.push(eventId);
  assert.deepEqual(log.slice(4), ['c', 'save c2']);
  const queries = server.seen.map(({ url }) => url.split('?')[1]);
  assert.deepEqual(queries, ['wait=20', 'after=c1&wait=20', 'after=c1&wait=0']);
});

test('outages do not end the feed; a signal does', async () => {
  await using server = await scriptedServer(
    ...[cut, failure(503, 'unavailable'), failure(502, ''), cut, page(['a'], 'c1'), page([], 'c1', true)],
    (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders(),
  );
  const controller = new AbortController();
  const retried: string[] = [];
  const events = clientOf(server.url).events({
    ...{ signal: controller.signal, types: ['a.b', 'c.d'], since: new Date(0), limit: 2 },
    onRetry: ({ name }) => void retried.push(name),
  });
  assert.equal((await events.next()).value?.eventId, 'a');
  const next = events.next();
  while (server.seen.length < 7) await new Promise(setImmediate);
  controller.abort(new Error('enough'));
  await assert.rejects(next, /enough/);
  assert.deepEqual(retried, ['ConnectionError', 'ServerError', 'ServerError', 'ConnectionError']);
  assert.equal(server.seen[0]!.url, '/api/events?since=1970-01-01T00%3A00%3A00.000Z&types=a.b%2Cc.d&limit=2&wait=20');
  assert.equal(
    server.seen[5]!.url,
    '/api/events?after=c1&types=a.b%2Cc.d&limit=2&wait=20',
    'since is not sent with after',
  );
});

test('an expired cursor is an error, unless the oldest event is asked for', async () => {
  const expired = failure(410, 'cursor_expired', { 'events-oldest': 'c7' });
  await using server = await scriptedServer(expired, expired, page(['a'], 'c8', true));
  const client = clientOf(server.url);
  await assert.rejects(client.events({ after: 'c1' }).next(), GoneError);
  const events = client.events({ after: 'c1', onExpired: 'oldest', untilCaughtUp: true });
  assert.equal((await events.next()).value?.eventId, 'a');
  assert.match(server.seen[2]!.url, /after=c7/);
});

test('a file keeps the cursor, only for its owner, and is never half-written', async () => {
  const file = join(scratch, 'folder', 'events.cursor');
  const store = fileCursor(file);
  assert.equal(await store.load(), undefined);
  await Promise.all(Array.from({ length: 20 }, (_, i) => store.save(`cursor-${i}`)));
  assert.match(String(await fileCursor(file).load()), /^cursor-\d+$/);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(join(scratch, 'folder')), ['events.cursor']);
});
