import { credentials, makeClientConstructor } from '@grpc/grpc-js';

// grpc.health.v1.Health/Check by hand: the request for the whole server is empty and the response is one enum, two bytes
// that are not worth a proto loader.
const SERVING = 1;
const Health = makeClientConstructor(
  {
    check: {
      path: '/grpc.health.v1.Health/Check',
      requestStream: false,
      responseStream: false,
      requestSerialize: () => Buffer.alloc(0),
      requestDeserialize: () => ({}),
      responseSerialize: () => Buffer.alloc(0),
      responseDeserialize: (bytes: Buffer) => ({ status: bytes[0] === 0x08 ? bytes[1] : 0 }),
    },
  },
  'grpc.health.v1.Health',
);

/** Whether the server at `target` (host:port) reports SERVING within `timeoutMs` milliseconds. False on any error. */
export async function isServing(target: string, timeoutMs: number): Promise<boolean> {
  const client = new Health(target, credentials.createInsecure());
  try {
    return await new Promise<boolean>(resolve => {
      client.check?.({}, { deadline: Date.now() + timeoutMs }, (error: Error | null, answer?: { status: number }) =>
        resolve(!error && answer?.status === SERVING),
      );
    });
  } finally {
    client.close();
  }
}
