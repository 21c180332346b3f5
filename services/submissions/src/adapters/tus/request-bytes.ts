import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { type DataStore, ERRORS, type Server, type Upload } from '@tus/server';
import { NodeRequest } from 'srvx/node';

// What has come and is not taken yet: more stays in the connection.
const AHEAD_BYTES = 64 * 1024;

/** How the library's handlers write a body. Its own way goes through a web stream and three of Node's. */
interface Writing {
  writeToStore(body: unknown, upload: Upload, maxBytes: number, context: { signal: AbortSignal }): Promise<number>;
}

/** Has the bytes of requests that `directRequest` returns read from their connection, and written to `store` as they come. */
export function writeDirectly({ handlers }: Server, store: Pick<DataStore, 'write'>): void {
  const writeToStore: Writing['writeToStore'] = async (body, { id, offset }, maxBytes, { signal }) => {
    if (signal.aborted) throw ERRORS.ABORTED;
    return await store.write(bytesOf(body as Readable, maxBytes, signal) as never, id, offset);
  };
  for (const handler of [handlers.POST, handlers.PATCH]) Object.assign(handler, { writeToStore } satisfies Writing);
}

/** Returns a request as the library takes it, but for its body. */
export function directRequest(request: IncomingMessage, response: ServerResponse): Request {
  const direct = new NodeRequest({ req: request, res: response });
  return Object.defineProperty(direct, 'body', { value: request }) as unknown as Request;
}

/**
 * Yields the bytes of a request as they come, at most `maxBytes`. Ends early, without a fault, when the signal fires. Fails where
 * the request breaks off. The request itself is never destroyed: it is still to be answered.
 */
export async function* bytesOf(request: Readable, maxBytes: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  let [waiting, ahead, come] = [[] as Buffer[], 0, 0];
  let isOver = request.readableEnded;
  let fault: unknown = request.destroyed && !isOver ? ERRORS.ABORTED : undefined;
  let wake = () => {};
  const take = (chunk: Buffer) => {
    waiting.push(chunk);
    ahead += chunk.length;
    come += chunk.length;
    if (come > maxBytes) fault = ERRORS.ERR_SIZE_EXCEEDED;
    if (ahead >= AHEAD_BYTES || fault) request.pause();
    wake();
  };
  const end = () => {
    isOver = true;
    wake();
  };
  const fail = () => {
    if (!isOver) fault ??= ERRORS.ABORTED;
    wake();
  };
  const stop = () => wake();
  request.on('data', take).once('end', end).once('error', fail).once('close', fail);
  signal.addEventListener('abort', stop, { once: true });
  try {
    while (!signal.aborted) {
      const chunks = waiting;
      [waiting, ahead] = [[], 0];
      if (chunks.length === 0) {
        if (fault) throw fault;
        if (isOver) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        if (request.isPaused()) request.resume();
        await promise;
        continue;
      }
      // What would go beyond the end is not taken, and what came before it is.
      if (fault === ERRORS.ERR_SIZE_EXCEEDED) chunks.pop();
      yield* chunks;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    request.pause();
    request.off('data', take).off('end', end).off('close', fail);
  }
}
