import { Server, ServerCredentials } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { addressOf, bind, shutDown } from './grpc-server.ts';

export interface Health {
  /** `host:port`, with the port that was really bound. */
  address: string;
  /** Reports SERVING, or NOT_SERVING, from now on. */
  setServing(serving: boolean): void;
  close(): Promise<void>;
}

// The service name of a liveness probe. SERVING means that the process responds, even while the process waits for a
// server.
const LIVENESS = 'liveness';

/**
 * Serves grpc.health.v1 on `listen`, in plaintext, because probes have no certificate. The whole server ('') is
 * NOT_SERVING until `setServing`; the service `liveness` is always SERVING.
 */
export async function startHealth(listen: string): Promise<Health> {
  const server = new Server();
  const health = new HealthImplementation({ '': 'NOT_SERVING', [LIVENESS]: 'SERVING' });
  health.addToServer(server);
  const port = await bind(server, listen, ServerCredentials.createInsecure());
  return {
    address: addressOf(listen, port),
    setServing: serving => health.setStatus('', serving ? 'SERVING' : 'NOT_SERVING'),
    close: () => shutDown(server, 0),
  };
}
