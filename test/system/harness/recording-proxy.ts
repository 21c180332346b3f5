import { createServer, type IncomingHttpHeaders, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a proxy has forwarded. */
export interface RecordedRequest {
  method: string;
  /** The path and the query. */
  url: string;
  headers: IncomingHttpHeaders;
  /** The first bytes of the body as text, at most 64 KiB. */
  body: string;
}

/** A proxy that notes the requests that it forwards. */
export interface RecordingProxy extends AsyncDisposable {
  /** The URL, without a trailing slash. */
  url: string;
  /** The method and the path of each request, such as `GET /api/me`. */
  seen: Set<string>;
  /** The requests so far, with their bodies, oldest first. A test may empty the list. */
  requests: RecordedRequest[];
  /** Cuts the connection of the next answer whose body is longer than `bytes`, after that many bytes of the body. */
  cutAfter(bytes: number): void;
  /** Answers 429 to the next requests, with a `Retry-After` of one second. */
  refuse(requests: number): void;
  /** Forwards `after` more requests of a method and leaves the later ones unanswered; without `after`, forwards all again. */
  hold(method: string, after?: number): void;
  /** The number of cut answers. */
  cuts(): number;
}

const BODY_BYTES = 65_536;

export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const seen = new Set<string>();
  const requests: RecordedRequest[] = [];
  let cutAfter: number | undefined;
  let cuts = 0;
  let refusals = 0;
  const left = new Map<string, number>();
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    seen.add(`${method} ${url!.split('?')[0]}`);
    const noted = { method: method!, url: url!, headers, body: '' };
    requests.push(noted);
    request.on('data', (chunk: Buffer) => {
      if (noted.body.length < BODY_BYTES) noted.body += chunk.subarray(0, BODY_BYTES).toString();
    });
    const more = left.get(method!);
    if (more !== undefined) {
      if (more === 0) return void request.resume();
      left.set(method!, more - 1);
    }
    if (refusals > 0) {
      refusals--;
      request.resume();
      const refusal = { 'retry-after': '1', 'error-code': 'rate_limited', 'content-type': 'application/json' };
      return void response.writeHead(429, refusal).end('{"error": "Too many requests; wait 1 s before the next one."}');
    }
    const forwarded = send(new URL(url!, target), { method, headers }, answer => {
      const { location } = answer.headers;
      // Replaces the address in Location, so that the later requests of an upload also come to this proxy.
      const own = location && left.size > 0 && { location: location.replace(target, `http://${headers.host}`) };
      response.writeHead(answer.statusCode!, { ...answer.headers, ...own });
      if (cutAfter === undefined || Number(answer.headers['content-length'] ?? 0) <= cutAfter) answer.pipe(response);
      else cut(answer);
    });
    const cut = (answer: IncomingMessage) => {
      let left = cutAfter!;
      cutAfter = undefined;
      cuts++;
      answer.on('data', (chunk: Buffer) => {
        if (left <= 0) return;
        const part = chunk.subarray(0, left);
        left -= part.length;
        response.write(part, () => left <= 0 && response.socket?.destroySoon());
      });
    };
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    requests,
    cutAfter(bytes) {
      cutAfter = bytes;
    },
    refuse(count) {
      refusals = count;
    },
    hold(method, after) {
      if (after === undefined) left.delete(method);
      else left.set(method, after);
    },
    cuts: () => cuts,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
