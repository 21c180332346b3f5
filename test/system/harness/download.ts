import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { until } from '@recording-request/testing/wait';
import { SYSTEM_WAIT } from './limits.ts';

const LIMIT_MS = 120_000;

/**
 * Streams the body of an answer of status 200 to a file, compressed where the gateway compresses it; rejects when it breaks
 * off. Gives its bytes, and the milliseconds it took.
 */
export async function downloadTo(path: string, url: string, token: string): Promise<{ bytes: number; ms: number }> {
  const began = performance.now();
  const signal = AbortSignal.timeout(LIMIT_MS);
  const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' };
  // Not fetch, which takes several times the processor's time for the same bytes.
  const request = get(url, { headers, agent: false, signal });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${url} answers ${response.statusCode}: ${await text(response)}`);
  const file = createWriteStream(path);
  await pipeline(response, file, { signal });
  return { bytes: file.bytesWritten, ms: Math.round(performance.now() - began) };
}

/** A client that is in the middle of a download. */
export interface Reader {
  /** Bytes of the body so far. */
  received(): number;
  /** Why the download broke off, where it did. */
  fault(): Error | undefined;
  /** Reads no more, and stays connected. */
  pause(): void;
  /** Reads on. */
  resume(): void;
  /** Goes away without a word: the socket is closed at once. */
  leave(): void;
}

/** Begins a download, and resolves when `bytes` of it have come; it goes on until paused or left. */
export async function readUntil(bytes: number, url: string, token: string): Promise<Reader> {
  let received = 0;
  let ended = false;
  let fault: Error | undefined;
  let response: IncomingMessage | undefined;
  const request: ClientRequest = get(url, { headers: { authorization: `Bearer ${token}` }, agent: false });
  request.on('error', error => {
    fault = error;
  });
  request.on('response', answer => {
    response = answer;
    answer.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    answer.on('end', () => {
      ended = true;
    });
    answer.on('error', error => {
      fault = error;
    });
  });
  await until(
    `${bytes} bytes of a download`,
    async () => {
      if (fault) throw fault;
      return received >= bytes || ended;
    },
    SYSTEM_WAIT,
  );
  if (ended) throw new Error(`the download was over after ${received} bytes`);
  return {
    received: () => received,
    fault: () => fault,
    pause: () => response!.pause(),
    resume: () => response!.resume(),
    leave: () => request.destroy(),
  };
}
