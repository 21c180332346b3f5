import { AsyncResource } from 'node:async_hooks';
import type { RequestListener, ServerResponse } from 'node:http';
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
 * Returns a listener that runs the requests of each connection one after the other. Node emits every request that a client sends ahead
 * (pipelining), so one packet could start thousands of handlers; and a response that waits behind another never closes when the
 * connection does, so its handler would never return what it holds.
 */
export const inTurn =
  (handle: RequestListener, endCrowded: EndCrowded): RequestListener =>
  (request, response) => {
    const socket = request.socket as Turned;
    const turns = socket[TURNS];
    const begin = () => {
      socket[TURNS]!.running = response;
      response.once('close', () => endTurn(socket));
      handle(request, response);
    };
    if (!turns) {
      socket[TURNS] = { running: response, waiting: [] };
      begin();
    } else if (socket.destroyed || socket.writableEnded) {
      // The parser is still at bytes that came before the connection ended.
      turns.waiting = [];
    } else if (turns.waiting.length < WAITING_MAX) {
      // It runs in the context of its connection: the context of the request before has another signal.
      turns.waiting.push({ response, begin: AsyncResource.bind(begin) });
    } else endCrowded(socket, turns.running);
  };

/** Returns the response that a connection is at; undefined where none is under way. */
export const runningOn = (socket: Socket): ServerResponse | undefined => (socket as Turned)[TURNS]?.running;

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
