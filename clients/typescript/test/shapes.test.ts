/** Tests answers of the right type and a wrong shape: they are errors of the client, and never a busy loop. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { GoneError, RecordingRequest, UnexpectedAnswerError } from '@recording-request/client';
import { failure, json, scriptedServer } from './scripted-server.ts';

const clientOf = (baseUrl: string) => new RecordingRequest({ baseUrl, token: 'api_x', retries: 0 });

test('a list ends with an error if a page leads to itself', async () => {
  const page = (id: string, nextCursor: unknown) => json({ projects: [{ projectId: id }], pagination: { nextCursor } });
  await using server = await scriptedServer(page('a', 'c1'), page('a', 'c1'));
  const found: string[] = [];
  const read = async () => {
    for await (const { projectId } of clientOf(server.url).projects.list()) if (found.push(projectId) > 9) break;
  };
  await assert.rejects(read, UnexpectedAnswerError);
  assert.deepEqual([found, server.seen.length], [['a'], 2]);
  for (const body of [page('a', ''), json({}), json(null), json({ projects: {} })]) {
    await using wrong = await scriptedServer(body);
    await assert.rejects(clientOf(wrong.url).projects.list().all(5), UnexpectedAnswerError);
  }
});

test('the feed ends with an error if a page with events leads to itself, or has no cursor', async () => {
  const events = [{ eventId: 'a', type: 'x.later', data: null }];
  await using server = await scriptedServer(json({ events, nextCursor: 'c1', caughtUp: false }));
  const found: string[] = [];
  const read = async () => {
    for await (const { eventId } of clientOf(server.url).events()) if (found.push(eventId) > 9) break;
  };
  await assert.rejects(read, UnexpectedAnswerError);
  assert.deepEqual(found, ['a']);
  const saved: string[] = [];
  const cursor = { load: () => undefined, save: (next: string) => void saved.push(next) };
  for (const body of [null, {}, { events: [], caughtUp: false }, { events: {}, nextCursor: 'c' }]) {
    await using wrong = await scriptedServer(json(body));
    await assert.rejects(clientOf(wrong.url).events({ cursor, untilCaughtUp: true }).next(), UnexpectedAnswerError);
  }
  assert.deepEqual(saved, []);
});

test('the feed pauses for a second between pages that bring nothing', async () => {
  await using server = await scriptedServer(json({ events: [], nextCursor: 'c1', caughtUp: true }));
  const controller = new AbortController();
  const ended = assert.rejects(clientOf(server.url).events({ signal: controller.signal }).next(), /enough/);
  while (server.seen.length < 3) await new Promise(setImmediate);
  controller.abort(new Error('enough'));
  await ended;
  assert.ok(server.seen[2]!.atMs - server.seen[1]!.atMs >= 900);
});

test('the feed asks for the oldest event once, not for ever', async () => {
  await using server = await scriptedServer(failure(410, 'cursor_expired', { 'events-oldest': 'c7' }));
  const events = clientOf(server.url).events({ after: 'c1', onExpired: 'oldest', signal: AbortSignal.timeout(10_000) });
  await assert.rejects(events.next(), GoneError);
  assert.equal(server.seen.length, 2);
});

test('an answer that is not an object, or that unpacks to more than 64 MiB, is refused', async () => {
  for (const body of [null, 'text', 5]) {
    await using server = await scriptedServer(json(body));
    await assert.rejects(clientOf(server.url).me(), UnexpectedAnswerError);
  }
  const bomb = gzipSync(Buffer.concat([Buffer.alloc(80 * 1024 ** 2, ' '), Buffer.from('{}')]), { level: 1 });
  await using server = await scriptedServer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb),
  );
  await assert.rejects(clientOf(server.url).me(), /more than 64 MiB/);
});
