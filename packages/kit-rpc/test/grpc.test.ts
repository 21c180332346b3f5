import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { credentials } from '@grpc/grpc-js';
import { DomainError } from '@recording-request/kit/errors';
import { createLogger } from '@recording-request/kit/log';
import { type ExportsServiceServer, ExportsServiceService } from '@recording-request/proto/exports/v1/exports';
import { type MediaServiceServer, MediaServiceService } from '@recording-request/proto/media/v1/media';
import { everyServiceEnv } from '@recording-request/testing/test-certificates';
import { createClient } from '../src/grpc-client.ts';
import { type Handlers, implement, startGrpcServer } from '../src/grpc-server.ts';
import { openCaller } from '../src/internal/internal.ts';

const log = createLogger('test', 'silent');
// The caller and the server share one certificate.
const internal = await openCaller(await everyServiceEnv(), 'gateway');
after(() => internal[Symbol.dispose]());
const WINDOW_BYTES = 256 * 1024;
const request = { ownerId: 'o', projectId: 'p', format: 1, filter: undefined, includeLinks: false } as const;

async function serve(handlers: {
  inspect?: Handlers<MediaServiceServer>['inspect'];
  export?: Handlers<ExportsServiceServer>['export'];
}) {
  const server = await startGrpcServer({
    listen: '127.0.0.1:0',
    log,
    internal,
    callersOf: () => ['gateway'],
    services: [
      implement<MediaServiceServer>(MediaServiceService, { inspect: handlers.inspect ?? (async () => ({})) }),
      implement<Pick<ExportsServiceServer, 'export'>>(
        { export: ExportsServiceService.export },
        {
          export:
            handlers.export ??
            async function* () {
              yield { chunk: Buffer.alloc(0) };
            },
        },
      ),
    ],
  });
  const media = createClient<MediaServiceServer>(MediaServiceService, server.address, internal.peer('media'));
  const exports = createClient<ExportsServiceServer>(
    ExportsServiceService,
    server.address,
    internal.peer('submissions'),
    {
      slowReaders: { windowBytes: WINDOW_BYTES },
    },
  );
  return {
    media,
    exports,
    async [Symbol.asyncDispose]() {
      media.close();
      exports.close();
      await server.close(500);
    },
  };
}

test('a refusal reaches the caller with its code and its sentence; its cause does not', async () => {
  await using served = await serve({
    async inspect() {
      throw new DomainError('unprocessable', 'This is no video.', { cause: new Error('inner') });
    },
  });
  await assert.rejects(served.media.inspect({ objectKey: 'x' }), error => {
    assert.ok(error instanceof DomainError);
    assert.deepEqual([error.code, error.message], ['unprocessable', 'This is no video.']);
    return true;
  });
});

test('an internal error reaches the caller only as a fixed sentence', async () => {
  await using served = await serve({
    async inspect() {
      throw new Error('password=hunter2');
    },
  });
  await assert.rejects(
    served.media.inspect({ objectKey: 'x' }),
    (error: DomainError) => error.code === 'internal' && !error.message.includes('hunter2'),
  );
});

test('a call that was answered or refused is not cancelled when its stream closes', async () => {
  const signals: AbortSignal[] = [];
  {
    await using served = await serve({
      async inspect({ objectKey }, { signal }) {
        signals.push(signal);
        if (objectKey === 'none') throw new DomainError('not_found', 'There is none.');
        return {};
      },
      async *export(_request, { signal }) {
        signals.push(signal);
        yield { chunk: Buffer.alloc(1) };
      },
    });
    await served.media.inspect({ objectKey: 'x' });
    await assert.rejects(served.media.inspect({ objectKey: 'none' }), { code: 'not_found' });
    for await (const { chunk } of served.exports.export(request)) assert.equal(chunk.length, 1);
  }
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [false, false, false],
  );
});

test('a call ends at its deadline, which aborts its handler', async () => {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  let begun = false;
  await using served = await serve({
    inspect: (_request, { signal }) => {
      begun = true;
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          resolve();
          reject(new Error('stopped'));
        }),
      );
    },
  });
  // On a busy machine the deadline may pass before the handler starts; such a call proves nothing.
  for (let tries = 0; tries < 100 && !begun; tries++)
    await assert.rejects(
      served.media.inspect({ objectKey: 'x' }, { deadlineMs: 300 }),
      (error: DomainError) => error.code === 'timeout',
    );
  assert.ok(begun, 'a call reaches its handler');
  await aborted;
});

test('a missing peer is reported as unavailable within the deadline, in a sentence for the caller', async () => {
  const media = createClient<MediaServiceServer>(MediaServiceService, '127.0.0.1:1', internal.peer('media'));
  await assert.rejects(media.inspect({ objectKey: 'x' }, { deadlineMs: 300 }), (error: DomainError) =>
    ['timeout', 'unavailable'].includes(error.code),
  );
  media.close();
});

/** Starts a server behind a proxy; the returned function cuts the connections. */
async function behindLine(inspect: Handlers<MediaServiceServer>['inspect']) {
  const server = await startGrpcServer({
    ...{ listen: '127.0.0.1:0', log, internal, callersOf: () => ['gateway'] },
    services: [implement<MediaServiceServer>(MediaServiceService, { inspect })],
  });
  const sockets = new Set<Socket>();
  const [host, port] = server.address.split(':') as [string, string];
  const line = createServer(socket => {
    const onward = connect(Number(port), host);
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {}).on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  line.listen(0, '127.0.0.1');
  await once(line, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${(line.address() as AddressInfo).port}`,
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      line.close();
      await server.close(500);
    },
  };
}

test('when a replica dies during a call, another one answers a repeatable call, and other calls fail', async () => {
  let [deaths, answers] = [0, 0];
  await using dying = await behindLine(() => {
    deaths += 1;
    dying.cut();
    return new Promise(() => {});
  });
  await using living = await behindLine(async () => {
    answers += 1;
    return {};
  });
  const target = `ipv4:///${dying.address},${living.address}`;
  const open = (mayRepeat: boolean) =>
    createClient<MediaServiceServer>(MediaServiceService, target, internal.peer('media'), {
      mayRepeat: () => mayRepeat,
    });
  const repeating = open(true);
  for (let calls = 0; calls < 200 && deaths < 5; calls++) await repeating.inspect({ objectKey: 'x' });
  assert.ok(deaths >= 5, 'the replica that dies was called');
  repeating.close();
  const once = open(false);
  const before = deaths;
  const outcomes: string[] = [];
  for (let calls = 0; calls < 200 && deaths < before + 1; calls++)
    outcomes.push(
      await once.inspect({ objectKey: 'x' }).then(
        () => 'ok',
        ({ code }: DomainError) => code,
      ),
    );
  assert.equal(outcomes.at(-1), 'unavailable');
  once.close();
  assert.ok(answers > 0);
});

/**
 * Starts a server that ends the connection when the first bytes of its first response have reached the caller. It
 * responds to later calls.
 */
async function endingAfterHeaders() {
  let calls = 0;
  const server = createHttp2Server();
  server.on('stream', (stream: ServerHttp2Stream) => {
    calls += 1;
    stream.on('error', () => {});
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    if (calls === 1) {
      // The caller answers the ping after it has read the earlier bytes.
      stream.session?.ping(() => stream.session?.destroy());
      return;
    }
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    // An empty message.
    stream.end(Buffer.alloc(5));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    [Symbol.dispose]: () => void server.close(),
  };
}

test('when a server ends after the first bytes of the answer, a repeatable call is retried once, and other calls fail', async () => {
  const inPlaintext = { credentials: credentials.createInsecure(), options: {} };
  const requested = async (mayRepeat: boolean) => {
    using served = await endingAfterHeaders();
    const client = createClient<MediaServiceServer>(MediaServiceService, served.address, inPlaintext, {
      mayRepeat: () => mayRepeat,
    });
    try {
      const outcome = await client.inspect({ objectKey: 'x' }).then(
        () => 'answered',
        ({ code }: DomainError) => code,
      );
      return [outcome, served.calls()];
    } finally {
      client.close();
    }
  };
  assert.deepEqual(await requested(true), ['answered', 2]);
  assert.deepEqual(await requested(false), ['unavailable', 1]);
});

test('a failure that the server returns is not retried', async () => {
  let calls = 0;
  await using served = await behindLine(async () => {
    calls += 1;
    throw new DomainError('unavailable', 'The store is down.');
  });
  const client = createClient<MediaServiceServer>(MediaServiceService, served.address, internal.peer('media'), {
    mayRepeat: () => true,
  });
  await assert.rejects(
    client.inspect({ objectKey: 'x' }),
    (error: DomainError) => error.message === 'The store is down.',
  );
  assert.equal(calls, 1);
  client.close();
});

test('a stream arrives whole and in order', async () => {
  await using served = await serve({
    async *export() {
      for (let i = 0; i < 200; i += 1) yield { chunk: Buffer.alloc(64 * 1024, i) };
    },
  });
  let next = 0;
  for await (const { chunk } of served.exports.export(request)) assert.equal(chunk[0], next++ % 256);
  assert.equal(next, 200);
});

test('a stream that fails midway fails for its reader instead of ending early', async () => {
  await using served = await serve({
    async *export() {
      yield { chunk: Buffer.from('half') };
      throw new DomainError('unavailable', 'The store is down.');
    },
  });
  const read = async () => {
    for await (const _ of served.exports.export(request));
  };
  await assert.rejects(read(), (error: DomainError) => error.message === 'The store is down.');
});

test('a limit in bytes, not of sixteen messages at each end, bounds the messages made for a paused reader', async () => {
  let made = 0;
  await using served = await serve({
    async *export() {
      for (;;) {
        made += 1;
        yield { chunk: Buffer.alloc(WINDOW_BYTES) };
      }
    },
  });
  const messages = served.exports.export(request)[Symbol.asyncIterator]();
  assert.equal((await messages.next()).done, false);
  let before = 0;
  // The handler has stopped when it has made no message for a while.
  while (made !== before) {
    before = made;
    await delay(200);
  }
  // Two messages are delivered, one is held back, one is in the window, one is in transit, and one is being made.
  assert.ok(made <= 8, `${made} messages were made for a reader of one`);
  await messages.return?.();
});

test('a client for slow readers shares its connection with no other', async () => {
  let connections = 0;
  const count = () => {
    connections += 1;
  };
  subscribe('net.client.socket', count);
  await using served = await serve({});
  const both = () =>
    Promise.all([served.media.inspect({ objectKey: 'x' }), Array.fromAsync(served.exports.export(request))]);
  await both();
  await both();
  unsubscribe('net.client.socket', count);
  assert.equal(connections, 2);
});

test('a reader that disconnects ends the work of the stream', async () => {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  await using served = await serve({
    async *export() {
      try {
        for (;;) yield { chunk: Buffer.alloc(1024 * 1024) };
      } finally {
        resolve();
      }
    },
  });
  for await (const _ of served.exports.export(request)) break;
  await ended;
});
