import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { objectReader } from './object-reader.ts';

const CONTENT = randomBytes(3_000_000);
const WHOLE = { length: CONTENT.length, signal: new AbortController().signal };
const openObject = objectReader('');
const closing: (() => void)[] = [];
after(() => {
  for (const close of closing) close();
});

/** Starts a store that responds with `listener`. Returns the store's address and its count of connections. */
async function storeWith(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const counts = { connections: 0 };
  server.on('connection', () => counts.connections++);
  return { counts, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/object?signed=1` };
}

const whole: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-length': CONTENT.length }).end(CONTENT);
};

async function sumOf(bytes: AsyncIterable<Buffer> | undefined): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytes!) hash.update(chunk);
  return hash.digest('hex');
}
const SUM = createHash('sha256').update(CONTENT).digest('hex');

test('objects are read whole, one after the other, and connections are reused', async () => {
  const { url, counts } = await storeWith(whole);
  for (let read = 0; read < 5; read++) assert.equal(await sumOf(await openObject(url, WHOLE)), SUM);
  assert.ok(counts.connections <= 2, `${counts.connections} connections for 5 reads, one after the other`);
});

test('objects read at the same time do not mix, however slow one reader is', async () => {
  const { url } = await storeWith(whole);
  const slow = (await openObject(url, WHOLE))![Symbol.asyncIterator]();
  const first = (await slow.next()).value as Buffer;
  const before = Buffer.from(first);
  const others = await Promise.all(Array.from({ length: 8 }, async () => sumOf(await openObject(url, WHOLE))));
  assert.deepEqual(others, Array(8).fill(SUM));
  assert.ok(first.equals(before), 'a chunk stays as it was');
  const hash = createHash('sha256').update(first);
  for (let next = await slow.next(); !next.done; next = await slow.next()) hash.update(next.value);
  assert.equal(hash.digest('hex'), SUM);
});

test('a chunk stays unchanged after its reader stops reading', async () => {
  const { url } = await storeWith(whole);
  const bytes = (await openObject(url, WHOLE))!;
  const chunk = (await bytes[Symbol.asyncIterator]().next()).value as Buffer;
  const before = Buffer.from(chunk);
  bytes.destroy();
  await Promise.all(Array.from({ length: 4 }, async () => sumOf(await openObject(url, WHOLE))));
  assert.ok(chunk.equals(before));
});

test('a connection that the store closed meanwhile is replaced', async () => {
  const { url, counts, server } = await storeWith(whole);
  assert.equal(await sumOf(await openObject(url, WHOLE)), SUM);
  // The client has not noticed the end of its connection yet.
  server.closeAllConnections();
  assert.equal(await sumOf(await openObject(url, WHOLE)), SUM);
  assert.equal(counts.connections, 2);
});

test('an HTTP response that ends too soon, or whose connection ends, is an error', async () => {
  const { url } = await storeWith((_request, response) => {
    response.writeHead(200, { 'content-length': CONTENT.length }).write(CONTENT.subarray(0, 1_000), () => {
      response.destroy();
    });
  });
  await assert.rejects(async () => sumOf(await openObject(url, WHOLE)), /closed/);
});

test('an object that is missing or has another size is undefined', async () => {
  const { url } = await storeWith((request, response) => {
    if (request.headers.range) response.writeHead(206, { 'content-length': 7 }).end('1234567');
    else response.writeHead(404).end('<Error>NoSuchKey</Error>');
  });
  assert.equal(await openObject(url, WHOLE), undefined);
  assert.equal(await openObject(url, { ...WHOLE, range: { start: 0, end: 9 }, length: 10 }), undefined);
});

test('a response that is not HTTP, or longer than it declares, is an error without details of the store', async () => {
  for (const answer of [
    'SSH-2.0-x\r\n\r\n',
    'x'.repeat(40_000),
    'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef',
  ]) {
    const url = await rawStore(answer);
    await assert.rejects(openObject(url, { ...WHOLE, length: 3 }), { code: 'unavailable', message: /try again/ });
  }
});

/** Returns the address of a server that sends `answer` on each connection. */
async function rawStore(answer: string): Promise<string> {
  const server = createTcpServer((socket: Socket) => void socket.on('error', () => {}).end(answer));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('a reader that leaves ends the read', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const { url } = await storeWith((_request, response) => {
    response.on('close', resolve);
    response.writeHead(200, { 'content-length': CONTENT.length }).write('x');
  });
  const leave = new AbortController();
  const bytes = (await openObject(url, { ...WHOLE, signal: leave.signal }))!;
  const reading = sumOf(bytes);
  leave.abort(new Error('left'));
  await assert.rejects(reading, /left/);
  await closed;
});
