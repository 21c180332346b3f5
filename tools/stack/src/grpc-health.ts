import { credentials, makeClientConstructor } from '@grpc/grpc-js';

// Encodes grpc.health.v1.Health/Check by hand. The request is one string and the response one enum, so a proto loader
// is not needed.
const SERVING = 1;
const Health = makeClientConstructor(
  {
    check: {
      path: '/grpc.health.v1.Health/Check',
      requestStream: false,
      responseStream: false,
      requestSerialize: (service: string) => Buffer.from([0x0a, service.length, ...Buffer.from(service)]),
      requestDeserialize: () => ({}),
      responseSerialize: () => Buffer.alloc(0),
      responseDeserialize: (bytes: Buffer) => ({ status: bytes[0] === 0x08 ? bytes[1] : 0 }),
    },
  },
  'grpc.health.v1.Health',
);

/**
 * Returns whether the server at `target` (host:port), or one service of that server, reports SERVING within `timeoutMs`
 * milliseconds. Returns false on any error.
 */
export async function isServing(target: string, timeoutMs: number, service = ''): Promise<boolean> {
  const client = new Health(target, credentials.createInsecure());
  try {
    return await new Promise<boolean>(resolve => {
      client.check?.(
        service,
        { deadline: Date.now() + timeoutMs },
        (error: Error | null, answer?: { status: number }) => resolve(!error && answer?.status === SERVING),
      );
    });
  } finally {
    client.close();
  }
}
