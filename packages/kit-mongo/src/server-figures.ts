import { observe } from '@recording-request/kit-telemetry/metrics';
import type { mongo } from 'mongoose';

const WRITABLE = new Set(['Single', 'ReplicaSetWithPrimary', 'Sharded']);

interface Known {
  hasPrimary: boolean;
  offsetMs: number | undefined;
}
const clients = new Map<mongo.MongoClient, Known>();

/** Reports a client's data about its servers, until the client is closed. */
export function reportMongo(client: mongo.MongoClient): void {
  const known: Known = { hasPrimary: true, offsetMs: undefined };
  reportServers();
  clients.set(client, known);
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    known.hasPrimary = WRITABLE.has(newDescription.type) && [...newDescription.servers.values()].some(isThere);
  });
  client.on('serverHeartbeatSucceeded', ({ reply }) => {
    // The offset includes the travel time of the response.
    if (reply.isWritablePrimary && reply.localTime) known.offsetMs = Date.now() - reply.localTime.getTime();
  });
  client.on('topologyClosed', () => clients.delete(client));
}

const isThere = ({ type }: mongo.ServerDescription): boolean => type !== 'Unknown';
let isReported = false;

/** Reports the worst values of all clients. */
function reportServers(): void {
  if (isReported) return;
  isReported = true;
  observe('recording.database.primary', () => {
    if (clients.size === 0) return [];
    return [[[...clients.values()].every(({ hasPrimary }) => hasPrimary) ? 1 : 0, {}]];
  });
  observe('recording.clock.offset', () => {
    const offsets = [...clients.values()].flatMap(({ offsetMs }) => offsetMs ?? []);
    const [worst] = offsets.sort((one, other) => Math.abs(other) - Math.abs(one));
    return worst === undefined ? [] : [[worst / 1_000, {}]];
  });
}
