import { Server, ServerCredentials } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { addressOf, shutDown } from './grpc-server.ts';

export interface Health {
  /** `host:port`, with the port that was really bound. */
  address: string;
  /** Reports NOT_SERVING from now on. */
  stopServing(): void;
  close(): Promise<void>;
}

/** Answers grpc.health.v1 on `listen` with SERVING, in plaintext: a probe has no certificate, and learns nothing else here. */
export async function startHealth(listen: string): Promise<Health> {
  const server = new Server();
  const health = new HealthImplementation({ '': 'SERVING' });
  health.addToServer(server);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(listen, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  const stopServing = () => health.setStatus('', 'NOT_SERVING');
  return {
    address: addressOf(listen, port),
    stopServing,
    close() {
      stopServing();
      return shutDown(server, 0);
    },
  };
}
