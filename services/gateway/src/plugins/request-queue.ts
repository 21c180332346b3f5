import { AsyncResource } from 'node:async_hooks';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createFairSlots } from '@recording-request/kit/fair-slots';
import { callerNetwork } from '../domain/caller-network.ts';

/**
 * The maximum number of requests of one connection that wait for the running one. Browsers and proxies do not send
 * requests ahead.
 */
export const WAITING_MAX = 100;
/**
 * The number of requests that may wait on all connections, shared by the addresses. A request may hold 16 KiB of
 * headers.
 */
export const WAITING_IN_ALL = 2_000;

/** Ends a connection with too many waiting requests. `running` is the response to the running request. */
export type EndCrowded = (socket: Socket, running: ServerResponse) => void;

interface Waiting {
  response: ServerResponse;
  place: Disposable;
  begin: () => void;
}

interface Turns {
  running: ServerResponse | undefined;
  waiting: Waiting[];
}

// A field of the socket, because a WeakMap of all connections would slow every garbage collection.
const TURNS = Symbol('recording-request.turns');

type Turned = Socket & { [TURNS]?: Turns };

/**
 * Returns a listener that runs the requests of each connection one after the other. Node emits every request that a
 * client sends ahead (pipelining), so one packet could start thousands of handlers. Also, if the connection ends while
 * a response waits for another one, the waiting response never emits `close`, so its handler would never release its
 * slots and memory.
 *
 * When `isStopping` returns true, ends a connection after its last answer. Otherwise, Node would keep the connection
 * open for more requests, and the stop would last until the client closes it.
 */
export function queueRequests(
  handle: RequestListener,
  endCrowded: EndCrowded,
  isStopping: () => boolean,
): RequestListener {
  const places = createFairSlots(WAITING_IN_ALL);
  return (request, response) => {
    const socket = request.socket as Turned;
    socket[TURNS] ??= turnsOf(socket);
    const turns = socket[TURNS];
    const begin = () => {
      turns.running = response;
      response.once('close', () => {
        endTurn(turns);
        if (!turns.running && isStopping()) socket.destroySoon();
      });
      handle(request, response);
    };
    if (!turns.running) {
      begin();
      return;
    }
    // The parser may still emit requests that arrived before the connection ended.
    if (socket.destroyed || socket.writableEnded) return;
    const isFull = turns.waiting.length >= WAITING_MAX;
    const place = isFull ? undefined : places.tryTake([callerNetwork(socket.remoteAddress)]);
    // Runs in the context of its connection, because the previous request's context has another signal.
    if (place) turns.waiting.push({ response, place, begin: AsyncResource.bind(begin) });
    else endCrowded(socket, turns.running);
  };
}

/** Returns the connection's current response; undefined if none is running. */
export const runningOn = (socket: Socket): ServerResponse | undefined => (socket as Turned)[TURNS]?.running;

function turnsOf(socket: Socket): Turns {
  const turns: Turns = { running: undefined, waiting: [] };
  socket.once('close', () => drop(turns));
  return turns;
}

function drop(turns: Turns): void {
  for (const { place } of turns.waiting.splice(0)) place[Symbol.dispose]();
}

/** Starts the next request of this connection, after the other connections have had a turn. */
function endTurn(turns: Turns): void {
  const next = turns.waiting.shift();
  turns.running = next?.response;
  if (!next) return;
  setImmediate(() => {
    next.place[Symbol.dispose]();
    const { socket } = next.response;
    // The previous response may have ended the connection.
    if (socket && !socket.destroyed && !socket.writableEnded) next.begin();
    else drop(turns);
  });
}
