import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const PROJECT_ID = '00000000-0000-4000-8000-000000000001';

export interface FakeClip {
  submissionId: string;
  changedAt: string;
  reference: string | null;
  bytes: Buffer;
  transcript?: string;
  /** Other values of the fields of the submission, as a broken or hostile server would send them. */
  fields?: Record<string, unknown>;
  fileName?: string;
}

/** A service with one project, whose clips and events a test changes. */
export interface FakeService extends AsyncDisposable {
  url: string;
  clips: FakeClip[];
  events: { eventId: string; type: string; erased?: boolean }[];
  /** The state of the erasure of the project; undefined while it exists. */
  erased: boolean;
  /** The requests, such as `GET /api/me`. */
  seen: string[];
  /** Answers a request instead of the service, if it returns true. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export const clip = (number: number, reference: string | null = null): FakeClip => ({
  submissionId: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
  changedAt: '2026-03-02T10:00:00.000Z',
  reference,
  bytes: Buffer.alloc(50_000 + number, number),
  transcript: `Words of ${number}.`,
});

const HEADERS = { 'content-type': 'application/json', date: new Date().toUTCString() };

export async function startFakeService(): Promise<FakeService> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
    service.seen.push(`${request.method} ${pathname}`);
    if (!service.intercept(request, response)) answer(service, request, response, pathname, searchParams);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const service: FakeService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ clips: [], events: [], seen: [], erased: false },
    intercept: () => false,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  return service;
}

function answer(
  service: FakeService,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
): ServerResponse {
  const json = (body: unknown) => response.writeHead(200, HEADERS).end(JSON.stringify(body));
  const missing = () =>
    response.writeHead(404, { ...HEADERS, 'error-code': 'not_found' }).end('{"error":"There is no such thing."}');
  if (path === '/api/me') return json({ userName: 'Ada', scopes: [] });
  if (path === '/api/events') return json(eventsPage(service, query));
  const base = `/api/projects/${PROJECT_ID}`;
  if (path === `${base}/erasure`) return service.erased ? json({ state: 'erased' }) : missing();
  if (!path.startsWith(base) || service.erased) return missing();
  const [first, submissionId, file] = path.slice(base.length + 1).split('/');
  if (!first) return json({ projectId: PROJECT_ID, stats: { videosCreated: service.clips.length } });
  if (first === 'export.csv')
    return response.end(service.clips.map(each => `${each.submissionId},${each.changedAt}\r\n`).join(''));
  if (!submissionId) return json({ submissions: service.clips.map(submissionOf), pagination: { nextCursor: null } });
  const found = service.clips.find(each => each.submissionId === submissionId);
  if (!found) return missing();
  if (!file) return json(submissionOf(found));
  if (file !== 'video') return response.end(found.transcript);
  const etag = `"${createHash('sha256').update(found.bytes).digest('hex')}"`;
  const from = request.headers['if-range'] === etag ? Number(/\d+/.exec(request.headers.range ?? '')?.[0] ?? 0) : 0;
  const size = found.bytes.length;
  response.writeHead(from > 0 ? 206 : 200, {
    ...{ etag, 'accept-ranges': 'bytes', 'content-length': size - from },
    ...(from > 0 && { 'content-range': `bytes ${from}-${size - 1}/${size}` }),
    'content-disposition': `attachment; filename="${found.fileName ?? 'clip.webm'}"`,
  });
  return response.end(request.method === 'HEAD' ? undefined : found.bytes.subarray(from));
}

function submissionOf({ submissionId, changedAt, reference, transcript, fields }: FakeClip) {
  return {
    ...{ submissionId, changedAt, createdAt: '2026-03-02T10:00:00.000Z', mimeType: 'video/webm', questionIndex: null },
    ...{ questionText: null, recipient: reference === null ? null : { reference } },
    transcriptStatus: transcript === undefined ? 'disabled' : 'completed',
    ...fields,
  };
}

function eventsPage({ events }: FakeService, query: URLSearchParams) {
  const from = Number(query.get('after') ?? 0);
  const page = events.slice(from, from + Number(query.get('limit') ?? 100)).map(event => ({
    ...{ createdAt: '2026-03-02T10:00:00.000Z', projectId: PROJECT_ID, submissionId: null, tokenId: null },
    ...{ erased: false, data: event.erased ? null : { projectId: PROJECT_ID } },
    ...event,
  }));
  const next = from + page.length;
  return { events: page, nextCursor: String(next), caughtUp: next >= events.length };
}
