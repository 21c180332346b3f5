import { AsyncResource } from 'node:async_hooks';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createFairSlots } from '@recording-request/kit/fair-slots';
import { callerNetwork } from '../domain/caller-network.ts';

/** How many requests of one connection may wait behind the one that runs. Browsers and proxies send none ahead. */
export const WAITING_MAX = 100;
/** How many may wait in all: each may have 16 KiB of headers. Addresses share them. */
export const WAITING_IN_ALL = 2_000;

/** Ends a connection on which more requests wait than may. `running` is the response to the request that runs. */
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

// A field of the socket: a weak map of all connections would cost each garbage collection.
const TURNS = Symbol('recording-request.turns');

type Turned = Socket & { [TURNS]?: Turns };

/**
 * Returns a listener that runs the requests of each connection one after the other. Node emits every request that a client sends ahead
 * (pipelining), so one packet could start thousands of handlers; and a response that waits behind another never closes when the
 * connection does, so its handler would never return what it holds.
 */
export function inTurn(handle: RequestListener, endCrowded: EndCrowded): RequestListener {
  const places = createFairSlots(WAITING_IN_ALL);
  return (request, response) => {
    const socket = request.socket as Turned;
    socket[TURNS] ??= turnsOf(socket);
    const turns = socket[TURNS];
    const begin = () => {
      turns.running = response;
      response.once('close', () => endTurn(turns));
      handle(request, response);
    };
    if (!turns.running) {
      begin();
      return;
    }
    // The parser may still be at bytes that came before the connection ended.
    if (socket.destroyed || socket.writableEnded) return;
    const isFull = turns.waiting.length >= WAITING_MAX;
    const place = isFull ? undefined : places.tryTake([callerNetwork(socket.remoteAddress)]);
    // It runs in the context of its connection: the context of the request before has another signal.
    if (place) turns.waiting.push({ response, place, begin: AsyncResource.bind(begin) });
    else endCrowded(socket, turns.running);
  };
}

/** Returns the response that a connection is at; undefined where none is under way. */
export const runningOn = (socket: Socket): ServerResponse | undefined => (socket as Turned)[TURNS]?.running;

function turnsOf(socket: Socket): Turns {
  const turns: Turns = { running: undefined, waiting: [] };
  socket.once('close', () => drop(turns));
  return turns;
}

function drop(turns: Turns): void {
  for (const { place } of turns.waiting.splice(0)) place[Symbol.dispose]();
}

/** Other connections have their turn before the next request of this one. */
function endTurn(turns: Turns): void {
  const next = turns.waiting.shift();
  turns.running = next?.response;
  if (!next) return;
  setImmediate(() => {
    next.place[Symbol.dispose]();
    const { socket } = next.response;
    // The response before may have been the last of its connection.
    if (socket && !socket.destroyed && !socket.writableEnded) next.begin();
    else drop(turns);
  });
}
