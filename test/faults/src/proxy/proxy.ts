import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@recording-request/stack/ports';
import { createSplitter, type Framing, type Replacement, replaceAll } from './frames.ts';

export type Direction = 'request' | 'answer';

/**
 * Gets each message (or chunk, if the protocol has no messages) before it is forwarded. `connection` is the number of the
 * connection.
 */
export type Tap = (frame: Buffer, direction: Direction, connection: number) => void;

export interface ProxyOptions {
  /**
   * Returns the `host:port` of the servers. With several servers, the proxy alternates between them and skips a server
   * that refuses.
   */
  targets: () => string[];
  framing?: Framing;
  /** Replacements in responses. They replace the reported address of a server by the address of its proxy. */
  replacements?: readonly Replacement[];
}

/** A TCP proxy on 127.0.0.1 that can inject faults. */
export interface FaultProxy extends AsyncDisposable {
  readonly port: number;
  /** Ends every fault: bytes pass unchanged again. */
  pass(): Promise<void>;
  /** Resets open connections and refuses new ones. */
  down(): Promise<void>;
  /** Keeps connections open and accepts new ones, but passes no byte. */
  freeze(): void;
  /** Stops all bytes of the open connections, as if the server had lost power. New connections work. */
  strand(): void;
  /** Limits the speed of each connection in each direction. */
  slow(bytesPerSecond: number): void;
  /** Delays the beginning of each response by this many milliseconds, but not the rest of the response. */
  lag(ms: number): void;
  /** Lets this HTTP listener handle new connections; resets open ones. */
  answer(listener: RequestListener): void;
  /** Resets open connections; new connections work. */
  reset(): void;
  /** Sets the tap; undefined removes it. */
  tap(tap: Tap | undefined): void;
  /** The number of accepted connections so far. */
  readonly taken: number;
}

export async function openProxy(options: ProxyOptions): Promise<FaultProxy> {
  const state: State = {
    ...{ frozen: undefined, strandedBelow: 0, bytesPerSecond: Infinity, lagMs: 0 },
    ...{ tap: undefined, listener: undefined },
  };
  const sockets = new Set<Socket>();
  let taken = 0;
  let turn = 0;
  const http = createHttpServer((request, response) => state.listener?.(request, response));
  const accept = (client: Socket) => {
    const number = taken++;
    keep(client, sockets);
    if (state.listener) return void http.emit('connection', client);
    const targets = options.targets();
    const from = turn++;
    const order = targets.map((_, at) => targets[(from + at) % targets.length]!);
    connectFirst(order).then(
      server => {
        keep(server, sockets);
        if (client.destroyed) return void server.destroy();
        join({ client, server, number, awaitsAnswer: false, state, options });
      },
      () => breakOff(client),
    );
  };
  let server: Server | undefined;
  const listen = async (port: number) => {
    server = createServer({ noDelay: true }, accept);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const reset = () => {
    for (const socket of sockets) breakOff(socket);
  };
  const close = async () => {
    const closing = server;
    server = undefined;
    const closed = closing && new Promise(resolve => closing.close(resolve));
    reset();
    await closed;
  };
  const port = await freePort();
  await listen(port);
  const thaw = () => {
    state.frozen?.resolve();
    state.frozen = undefined;
    state.bytesPerSecond = Infinity;
    state.lagMs = 0;
    state.listener = undefined;
  };
  return {
    port,
    get taken() {
      return taken;
    },
    async pass() {
      if (state.listener) reset();
      thaw();
      if (!server) await listen(port);
    },
    async down() {
      thaw();
      await close();
    },
    freeze() {
      state.frozen ??= Promise.withResolvers<void>();
    },
    strand() {
      state.strandedBelow = taken;
    },
    slow(bytesPerSecond) {
      state.bytesPerSecond = bytesPerSecond;
    },
    lag(ms) {
      state.lagMs = ms;
    },
    answer(listener) {
      thaw();
      state.listener = listener;
      reset();
    },
    reset,
    tap(tap) {
      state.tap = tap;
    },
    async [Symbol.asyncDispose]() {
      thaw();
      await close();
      http.closeAllConnections();
    },
  };
}

interface State {
  frozen: PromiseWithResolvers<void> | undefined;
  /** Connections with a lower number pass no bytes. */
  strandedBelow: number;
  bytesPerSecond: number;
  lagMs: number;
  tap: Tap | undefined;
  listener: RequestListener | undefined;
}

interface Joint {
  client: Socket;
  server: Socket;
  number: number;
  /** True while a request has no answer yet. */
  awaitsAnswer: boolean;
  state: State;
  options: ProxyOptions;
}

function keep(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket);
  socket.on('error', () => {});
  socket.once('close', () => sockets.delete(socket));
}

// Node cannot reset a connection whose writable side it has closed, and would keep it open forever.
function breakOff(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

function join(joint: Joint): void {
  const { client, server } = joint;
  // Ends the other side only after it has got the bytes that this side sent before it closed.
  client.once('close', () => server.destroySoon());
  server.once('close', () => client.destroySoon());
  void carry(client, server, 'request', joint);
  void carry(server, client, 'answer', joint);
}

/** Forwards bytes message by message until either side ends. Drops the unsent bytes of a failed side. */
async function carry(from: Socket, to: Socket, direction: Direction, joint: Joint): Promise<void> {
  const { state, options, number } = joint;
  const split = createSplitter(options.framing ?? 'raw');
  const replacements = direction === 'answer' ? (options.replacements ?? []) : [];
  try {
    for await (const chunk of from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      for (const frame of split(chunk)) {
        while (state.frozen) await state.frozen.promise;
        if (number < state.strandedBelow) await once(from, 'close');
        const isFirst = direction === 'answer' && joint.awaitsAnswer;
        joint.awaitsAnswer = direction === 'request';
        if (isFirst && state.lagMs > 0) await delay(state.lagMs);
        if (Number.isFinite(state.bytesPerSecond)) await delay((frame.length / state.bytesPerSecond) * 1_000);
        state.tap?.(frame, direction, number);
        if (to.destroyed) return;
        if (!to.write(replaceAll(frame, replacements))) await once(to, 'drain');
      }
    }
    to.end();
  } catch {
    // Ends the sockets of both sides.
    to.destroy();
  }
}

const CONNECT_MS = 5_000;

async function connectFirst(targets: string[]): Promise<Socket> {
  for (const target of targets) {
    const { hostname, port } = new URL(`tcp://${target}`);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    try {
      await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS) });
      return socket;
    } catch {
      socket.destroy();
    }
  }
  throw new Error('no server behind the proxy');
}
