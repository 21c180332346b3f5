import { STATUS_CODES } from 'node:http';
import { durationOf, observe, secondsSince } from './metrics.ts';

/** Whom requests over HTTP go to. */
export type Peer = 'store' | 'speech' | 'endpoint';

/** How a request ended: with a status, or without an answer. `cancelled`: nobody wanted it any more, which says nothing of the peer. */
export type PeerEnd = number | 'unreachable' | 'timeout' | 'cancelled';

const requestDuration = durationOf('http.client.request.duration');
// That there is no such object is an answer like any other.
const NO_FAULT_OF_STORE = 404;

interface Asked {
  startedAt: number;
}

/** What has no answer yet, the oldest first, by the peers that were asked. */
const waiting = new Map<Peer | 'database', Set<Asked>>();

// A duration is noted at its end: of a peer that does not answer it says nothing.
observe('recording.peer.age', () =>
  [...waiting].map(([peer, asked]) => {
    const [oldest] = asked;
    return [oldest ? secondsSince(oldest.startedAt) : 0, { 'recording.peer': peer }] as const;
  }),
);

/** Notes that a peer is asked. Returns what notes how long it took, to be called when its answer begins or when it is given up; only the first end counts. */
export function askPeer(peer: Peer): (end: PeerEnd) => void {
  const asked = { startedAt: performance.now() };
  const over = waitsFor(peer, asked);
  return end => {
    if (over()) noteEnd(peer, asked, end);
  };
}

/** Notes what waits for an answer of a peer. Returns what notes that it no longer does, and says whether it did until then. */
export function waitsFor(peer: Peer | 'database', asked: Asked): () => boolean {
  let others = waiting.get(peer);
  if (!others) {
    others = new Set();
    waiting.set(peer, others);
  }
  const all = others.add(asked);
  return () => all.delete(asked);
}

function noteEnd(peer: Peer, { startedAt }: Asked, end: PeerEnd): void {
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
