import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection may wait behind the one that runs. Browsers and proxies send none ahead. */
export const WAITING_MAX = 100;

/** Ends a connection on which more requests wait than may. `running` is the response to the request that runs. */
export type EndCrowded = (socket: Socket, running: ServerResponse) => void;

interface Waiting {
  response: ServerResponse;
  begin: () => void;
}

interface Turns {
  running: ServerResponse;
  waiting: Waiting[];
}

// A field of the socket: a weak map of all connections would cost each garbage collection.
const TURNS = Symbol('recording-request.turns');

type Turned = Socket & { [TURNS]?: Turns | undefined };

/**
 * Runs the requests of each connection one after the other. Node emits every request that a client sends ahead (pipelining), so one
 * packet could start thousands of handlers; and a response that waits behind another never closes when the connection does, so its
 * handler would never give back what it holds.
 */
export function runInTurn(server: Server, endCrowded: EndCrowded): void {
  const emit = server.emit;
  server.emit = function (this: Server, event: string | symbol, ...values: unknown[]) {
    if (event !== 'request') return emit.call(this, event, ...values);
    const [request, response] = values as [IncomingMessage, ServerResponse];
    const socket = request.socket as Turned;
    const turns = socket[TURNS];
    const begin = () => {
      socket[TURNS]!.running = response;
      response.once('close', () => endTurn(socket));
      emit.call(this, event, ...values);
    };
    if (!turns) {
      socket[TURNS] = { running: response, waiting: [] };
      begin();
    } else if (socket.destroyed || socket.writableEnded) {
      // The parser is still at bytes that came before the connection ended.
      turns.waiting = [];
    } else if (turns.waiting.length < WAITING_MAX) {
      // It runs in the context of its connection: that of the request before it has another one's signal.
      turns.waiting.push({ response, begin: AsyncResource.bind(begin) });
    } else endCrowded(socket, turns.running);
    return true;
  } as typeof server.emit;
}

/** Other connections have their turn before the next request of this one. */
function endTurn(socket: Turned): void {
  const next = socket[TURNS]?.waiting.shift();
  if (!next) socket[TURNS] = undefined;
  else
    setImmediate(() => {
      // Without a socket it would be answered to nobody: the response before it was the last of its connection.
      if (next.response.socket && !next.response.socket.destroyed) next.begin();
    });
}
