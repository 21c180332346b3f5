import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { GetMediaRequest, GetMediaResponse } from '@recording-request/proto/submissions/v1/submissions';
import type { Certificate } from '@recording-request/stack/authority';

export const CONTENT = Buffer.from(Array.from({ length: 1_000 }, (_, i) => i % 251));

/** Answers with CONTENT or a range of it, like a store, and with headers that clients must not see. */
export const serveContent: RequestListener = (request, response) => serve(CONTENT, request, response);

export function serve(content: Buffer, ...[request, response]: Parameters<RequestListener>): void {
  response.setHeader('x-amz-request-id', 'inner');
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  if (first === undefined) {
    response.setHeader('content-length', content.length).end(content);
    return;
  }
  const part = content.subarray(Number(first), Number(last) + 1);
  const contentRange = `bytes ${first}-${last}/${content.length}`;
  response.writeHead(206, { 'content-length': part.length, 'content-range': contentRange }).end(part);
}

/** A store whose answers the test sets. */
export interface FakeStore extends AsyncDisposable {
  url: string;
  answer: RequestListener;
}

/** Starts a store; it uses TLS if it gets a certificate. */
export async function startFakeStore(certificate?: Certificate): Promise<FakeStore> {
  const listener: RequestListener = (request, response) => store.answer(request, response);
  const server = certificate ? createSecureServer(certificate, listener) : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const store: FakeStore = {
    url: certificate ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    answer: serveContent,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
  return store;
}

const PART_BYTES = 150;
// Fewer parts than a medium has, so that a reader must request more.
const PARTS_LISTED = 3;

/** Answers a request for a part of CONTENT like a store; the path names the part. */
export const servePart: RequestListener = (request, response) => {
  const [, at] = /^\/part\/(\d+)\?/.exec(request.url!) ?? [];
  serve(CONTENT.subarray(Number(at), Number(at) + PART_BYTES), request, response);
};

/** Does the same as `mediaAt`, with the bytes in parts. */
export const partsAt =
  (store: FakeStore) =>
  async ({ kind, offset = 0 }: Pick<GetMediaRequest, 'kind' | 'offset'>): Promise<GetMediaResponse> => {
    const first = Math.floor(offset / PART_BYTES) * PART_BYTES;
    const parts = Array.from({ length: PARTS_LISTED }, (_, index) => first + index * PART_BYTES)
      .filter(at => at < CONTENT.length)
      .map(at => ({
        url: `${store.url}/part/${at}?X-Amz-Signature=secret`,
        size: Math.min(PART_BYTES, CONTENT.length - at),
      }));
    return { ...(await mediaAt(store)({ kind })), url: '', parts: { offset: first, parts } };
  };

/** The submissions service's answer about every medium that a store has. */
export const mediaAt =
  (store: FakeStore) =>
  async ({ kind }: Pick<GetMediaRequest, 'kind'>): Promise<GetMediaResponse> => ({
    url: `${store.url}/object?X-Amz-Signature=secret`,
    size: CONTENT.length,
    mimeType: kind === 1 ? 'video/webm' : 'text/html',
    etag: '"e1"',
    fileName: 'Ünïcode "clip".webm',
  });
