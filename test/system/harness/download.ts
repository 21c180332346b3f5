import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { until } from '@recording-request/testing/wait';
import { SYSTEM_WAIT } from './limits.ts';

const LIMIT_MS = 120_000;

/**
 * Streams the body of an answer with status 200 to a file, without decompressing it. Returns its size and its duration. Rejects
 * when the download is cut.
 */
export async function downloadTo(path: string, url: string, token: string): Promise<{ bytes: number; ms: number }> {
  const began = performance.now();
  const signal = AbortSignal.timeout(LIMIT_MS);
  const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' };
  // Uses node:http, because fetch needs several times the CPU time for the same bytes.
  const request = get(url, { headers, agent: false, signal });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${url} answers ${response.statusCode}: ${await text(response)}`);
  const file = createWriteStream(path);
  await pipeline(response, file, { signal });
  return { bytes: file.bytesWritten, ms: Math.round(performance.now() - began) };
}

/** A client during a download. */
export interface Reader {
  /** Returns the bytes of the body so far. */
  received(): number;
  /** Returns the error that cut the download, if any. */
  fault(): Error | undefined;
  /** Stops reading, and stays connected. */
  pause(): void;
  /** Continues reading. */
  resume(): void;
  /** Closes the socket at once. */
  leave(): void;
}

/** Starts a download, and resolves when `bytes` of it have arrived. It continues until paused or left. */
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
  if (ended) throw new Error(`the download ended after ${received} bytes`);
  return {
    received: () => received,
    fault: () => fault,
    pause: () => response!.pause(),
    resume: () => response!.resume(),
    leave: () => request.destroy(),
  };
}
