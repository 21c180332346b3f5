import { STATUS_CODES } from 'node:http';
import { durationOf, observe, secondsSince } from './metrics.ts';

/** A kind of server that gets requests over HTTP. */
export type Peer = 'store' | 'speech' | 'endpoint';

/**
 * The end of a request: the status of the response, or the reason for a missing response. `cancelled` means that this
 * process cancelled the request; it does not show a fault of the peer.
 */
export type PeerEnd = number | 'unreachable' | 'timeout' | 'cancelled';

const requestDuration = durationOf('http.client.request.duration');
// A missing object is a normal response.
const NO_FAULT_OF_STORE = 404;

interface PendingRequest {
  startedAt: number;
}

/** Requests without a response, by peer. The oldest request of a peer is first. */
const waiting = new Map<Peer | 'database', Set<PendingRequest>>();

// Reports the age of the oldest request, because durations, which are recorded at the end of requests, do not show a
// peer that never responds.
observe('recording.peer.age', () =>
  [...waiting].map(([peer, request]) => {
    const [oldest] = request;
    return [oldest ? secondsSince(oldest.startedAt) : 0, { 'recording.peer': peer }] as const;
  }),
);

/** Starts to measure a request to a peer. Call the returned function when the response starts or the request fails; only the first call counts. */
export function measureRequest(peer: Peer): (end: PeerEnd) => void {
  const request = { startedAt: performance.now() };
  const over = waitsFor(peer, request);
  return end => {
    if (over()) noteEnd(peer, request, end);
  };
}

/**
 * Adds a waiting request of a peer. The returned function removes the request, and returns whether the request was
 * still waiting.
 */
export function waitsFor(peer: Peer | 'database', request: PendingRequest): () => boolean {
  let others = waiting.get(peer);
  if (!others) {
    others = new Set();
    waiting.set(peer, others);
  }
  const all = others.add(request);
  return () => all.delete(request);
}

function noteEnd(peer: Peer, { startedAt }: PendingRequest, end: PeerEnd): void {
  if (end === 'cancelled') return;
  if (typeof end === 'string') {
    requestDuration(secondsSince(startedAt), { 'recording.peer': peer, 'error.type': end });
    return;
  }
  // An owner's endpoint may respond with any number.
  const status = STATUS_CODES[end] ? String(end) : '_OTHER';
  const isFault = end >= 400 && !(peer === 'store' && end === NO_FAULT_OF_STORE);
  requestDuration(secondsSince(startedAt), {
    'recording.peer': peer,
    'http.response.status_code': status,
    ...(isFault && { 'error.type': status }),
  });
}
