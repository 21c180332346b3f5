import { once } from 'node:events';
import { request as begin, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export interface SlowAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** False if the connection ended before the answer. */
  complete: boolean;
}

/**
 * Sends a body in pieces, `everyMs` apart. Calls `onFirst` when the first piece was accepted or can no longer be
 * accepted. Returns the response, or undefined when the connection fails before the response. Stops sending when a
 * response arrives early.
 */
export async function sendSlowly(
  url: string,
  options: {
    method: string;
    headers: Record<string, string>;
    pieces: Buffer[];
    everyMs: number;
    onFirst?: () => void;
    signal: AbortSignal;
  },
): Promise<SlowAnswer | undefined> {
  const { method, headers, pieces, everyMs, onFirst, signal } = options;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const request = begin(url, {
    method,
    headers: { ...headers, 'content-length': String(length) },
    agent: false,
    signal,
  });
  const answer = answerOf(request);
  let answered = false;
  void answer.finally(() => {
    answered = true;
  });
  for (const [at, piece] of pieces.entries()) {
    if (at > 0) await Promise.race([delay(everyMs, undefined, { signal }).catch(() => {}), answer]);
    if (answered || request.destroyed) break;
    request.write(piece, at === 0 ? onFirst : undefined);
  }
  if (!request.destroyed) request.end();
  return answer;
}

/**
 * Reads a download at `bytesPerSecond`. Alternatively, pauses after the first bytes until `until` has settled, and then
 * reads the rest. Returns the response after its end, whether it is complete or cut.
 */
export async function readSlowly(
  url: string,
  options: {
    headers?: Record<string, string>;
    bytesPerSecond?: number;
    until?: () => Promise<unknown>;
    keep?: boolean;
    signal: AbortSignal;
  },
): Promise<SlowAnswer | undefined> {
  const { headers = {}, bytesPerSecond, until, keep = false, signal } = options;
  const request = begin(url, { headers, agent: false, signal });
  request.on('error', () => {});
  request.end();
  const response = await responseOf(request);
  if (!response) return undefined;
  const chunks: Buffer[] = [];
  let held: Promise<unknown> | undefined;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (keep) chunks.push(chunk);
      if (bytesPerSecond) await delay((chunk.length / bytesPerSecond) * 1_000, undefined, { signal });
      held ??= until?.();
      await held;
    }
  } catch {
    // The download was cut, or the reader disconnected.
  }
  const { statusCode, headers: answered, complete } = response;
  return { status: statusCode!, headers: answered, body: Buffer.concat(chunks), complete };
}

async function responseOf(request: ClientRequest): Promise<IncomingMessage | undefined> {
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response;
  } catch {
    return undefined;
  }
}

async function answerOf(request: ClientRequest): Promise<SlowAnswer | undefined> {
  request.on('error', () => {});
  const response = await responseOf(request);
  if (!response) return undefined;
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    // The status had arrived before the failure.
  }
  const { statusCode, headers, complete } = response;
  return { status: statusCode!, headers, body: Buffer.concat(chunks), complete };
}
