import { STATUS_CODES } from 'node:http';
import { durationOf, secondsSince } from './metrics.ts';

/** Whom requests over HTTP go to. */
export type Peer = 'store' | 'speech' | 'endpoint';

/** How a request ended: with a status, or without an answer. `cancelled`: nobody wanted it any more, which says nothing of the peer. */
export type PeerEnd = number | 'unreachable' | 'timeout' | 'cancelled';

const requestDuration = durationOf('http.client.request.duration');
// That there is no such object is an answer like any other.
const NO_FAULT_OF_STORE = 404;

/** Notes how long a peer took, from `startedAt` (of `performance.now()`). */
export function notePeer(peer: Peer, startedAt: number, end: PeerEnd): void {
  if (end === 'cancelled') return;
  if (typeof end === 'string') {
    requestDuration(secondsSince(startedAt), { 'recording.peer': peer, 'error.type': end });
    return;
  }
  // An endpoint may answer with any number.
  const status = STATUS_CODES[end] ? String(end) : '_OTHER';
  const isFault = end >= 400 && !(peer === 'store' && end === NO_FAULT_OF_STORE);
  requestDuration(secondsSince(startedAt), {
    'recording.peer': peer,
    'http.response.status_code': status,
    ...(isFault && { 'error.type': status }),
  });
}
