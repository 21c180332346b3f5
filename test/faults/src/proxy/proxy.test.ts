import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { waitFor } from '@recording-request/stack/wait';
import { createSplitter, mongoCommand, replaceAll } from './frames.ts';
import { openProxy } from './proxy.ts';

async function echo() {
  const server = createServer(socket => {
    socket.on('error', () => {});
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const target = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { target, [Symbol.asyncDispose]: async () => void server.close() };
}

async function say(port: number, text: string, limitMs = 10_000): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect');
    socket.write(text);
    const [answer] = await once(socket, 'data', { signal: AbortSignal.timeout(limitMs) });
    return String(answer);
  } finally {
    socket.destroy();
  }
}

test('a proxy passes bytes, refuses connections while down, holds bytes while frozen, and recovers', async () => {
  await using server = await echo();
  await using proxy = await openProxy({ targets: () => ['127.0.0.1:1', server.target] });
  assert.equal(await say(proxy.port, 'one'), 'one');
  await proxy.down();
  await assert.rejects(say(proxy.port, 'two'), { code: 'ECONNREFUSED' });
  await proxy.pass();
  assert.equal(await say(proxy.port, 'three'), 'three');
  proxy.freeze();
  await assert.rejects(say(proxy.port, 'four', 500), { name: 'AbortError' });
  await proxy.pass();
  assert.equal(await say(proxy.port, 'five'), 'five');
});

test('a slow client gets all bytes that a server sent before it closed', async () => {
  const LENGTH = 20_000_000;
  const server = createServer(socket => void socket.on('error', () => {}).end(Buffer.alloc(LENGTH)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const target = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  await using proxy = await openProxy({ targets: () => [target] });
  const client = connect({ port: proxy.port, host: '127.0.0.1' });
  await once(client, 'connect');
  await once(server, 'close', { signal: AbortSignal.timeout(300) }).catch(() => {});
  let length = 0;
  for await (const chunk of client) length += (chunk as Buffer).length;
  assert.equal(length, LENGTH);
  server.close();
});

test('a proxy can answer HTTP itself', async () => {
  await using server = await echo();
  await using proxy = await openProxy({ targets: () => [server.target] });
  proxy.answer((_, response) => response.writeHead(500).end('broken'));
  const answer = await fetch(`http://127.0.0.1:${proxy.port}/bucket`);
  assert.deepEqual([answer.status, await answer.text()], [500, 'broken']);
  await proxy.pass();
  assert.equal(await say(proxy.port, 'whole'), 'whole');
});

test('each answer lags once by the set time, and not at all afterwards', async () => {
  await using server = await echo();
  await using proxy = await openProxy({ targets: () => [server.target] });
  proxy.lag(400);
  const socket = connect({ port: proxy.port, host: '127.0.0.1' });
  await once(socket, 'connect');
  for (const text of ['one', 'two']) {
    const began = performance.now();
    socket.write(text);
    const [answer] = await once(socket, 'data', { signal: AbortSignal.timeout(10_000) });
    assert.equal(String(answer), text);
    assert.ok(performance.now() - began > 390, 'a second answer on the same connection lags too');
  }
  socket.destroy();
  await proxy.pass();
  proxy.lag(60_000);
  await proxy.pass();
  assert.equal(await say(proxy.port, 'three'), 'three');
});

test('a tap sees whole messages before they are forwarded, however the bytes are split', async () => {
  await using server = await echo();
  await using proxy = await openProxy({ targets: () => [server.target], framing: 'kafka' });
  const seen: string[] = [];
  proxy.tap((frame, direction) => void seen.push(`${direction} ${frame.subarray(4)}`));
  const socket = connect({ port: proxy.port, host: '127.0.0.1' });
  await once(socket, 'connect');
  const message = Buffer.from('\0\0\0\x05hello\0\0\0\x02yo');
  for (const byte of message) socket.write(Buffer.of(byte));
  await waitFor('the echo', async () => (seen.length === 4 ? true : undefined), { timeoutMs: 30_000 });
  assert.deepEqual(seen.sort(), ['answer hello', 'answer yo', 'request hello', 'request yo']);
  socket.destroy();
});

test('a server’s reported addresses are replaced in a copy', () => {
  const reported = Buffer.from('at 127.0.0.1:20001 and 127.0.0.1:20001');
  const made = replaceAll(reported, [[Buffer.from('127.0.0.1:20001'), Buffer.from('127.0.0.1:30009')]]);
  assert.equal(String(made), 'at 127.0.0.1:30009 and 127.0.0.1:30009');
  assert.equal(String(reported), 'at 127.0.0.1:20001 and 127.0.0.1:20001');
});

test('a MongoDB command is read from its message', () => {
  const document = Buffer.from('\x1c\0\0\0\x02insert\0\x08\0\0\0uploads\0\0', 'latin1');
  const message = Buffer.concat([Buffer.alloc(16), Buffer.alloc(4), Buffer.of(0), document]);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(2013, 12);
  const [whole] = createSplitter('mongo')(message);
  assert.deepEqual(mongoCommand(whole!), { name: 'insert', collection: 'uploads' });
});

test('messages are split at their ends, however their bytes arrive', () => {
  const messages = [5, 4, 900, 17].map(length => {
    const message = Buffer.alloc(length, length);
    message.writeInt32LE(length);
    return message;
  });
  const stream = Buffer.concat(messages);
  for (const size of [1, 3, 100, stream.length]) {
    const split = createSplitter('mongo');
    const frames: Buffer[] = [];
    for (let at = 0; at < stream.length; at += size) frames.push(...split(stream.subarray(at, at + size)));
    assert.deepEqual(frames, messages, `in pieces of ${size} bytes`);
  }
});
