import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from './log.ts';

/** One request as received. The body's bytes are kept, because the signature covers bytes, not parsed JSON. */
export interface ReceivedEvent {
  receivedAt: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The raw body. */
  body: Buffer;
}

export interface WebhookSink extends AsyncDisposable {
  /** The URL to post to. */
  url: string;
  /** The newest thousand, oldest first. */
  events: ReceivedEvent[];
  stop(): Promise<void>;
}

const MAX_BODY_BYTES = 5 * 1024 * 1024;
const MAX_KEPT = 1_000;

/**
 * A receiver of webhooks, on 127.0.0.1 by default: keeps a POST to any path and answers 204; GET / lists what was received, as JSON
 * to read, and GET /?raw every header, and the body as text and as bytes. `answer` chooses another status for a request, to test the
 * sender.
 */
export async function startWebhookSink(
  options: { host?: string; port?: number; log?: Log; answer?: (event: ReceivedEvent) => number } = {},
): Promise<WebhookSink> {
  const { host = '127.0.0.1' } = options;
  const events: ReceivedEvent[] = [];
  const server = createServer((request, response) => {
    const handled = request.method === 'POST' ? receive(request, response) : list(request, response);
    handled.catch(() => response.destroy());
  });
  server.requestTimeout = 30_000;

  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await read(request);
    if (!body) return void response.writeHead(413, { connection: 'close' }).end();
    const event = { receivedAt: new Date().toISOString(), path: request.url ?? '/', headers: request.headers, body };
    events.push(event);
    if (events.length > MAX_KEPT) events.shift();
    options.log?.(`webhook received: ${describe(event)}`);
    response.writeHead(options.answer?.(event) ?? 204).end();
  };
  const list = async ({ url }: IncomingMessage, response: ServerResponse) => {
    const shown = events.map(url?.endsWith('?raw') ? rawly : readably);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify({ events: shown }, null, 2)}\n`);
  };

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  const stop = async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  };
  const { port } = server.address() as AddressInfo;
  return { url: `http://${host}:${port}/`, events, stop, [Symbol.asyncDispose]: stop };
}

async function read(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const rawly = ({ body, ...event }: ReceivedEvent): object => ({
  ...event,
  body: body.toString('utf8'),
  bodyBase64: body.toString('base64'),
});

const SIGNATURES = ['service-signature', 'webhook-signature'];

function readably({ receivedAt, path, headers, body }: ReceivedEvent): object {
  const signed = SIGNATURES.some(name => headers[name] !== undefined);
  return { receivedAt, path, type: headers['service-event'], signed, body: parsed(body.toString('utf8')) };
}

/** JSON as what it says; any other text as it is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function describe({ headers, body, path }: ReceivedEvent): string {
  const names = ['service-event', 'webhook-id'].map(name => headers[name]).filter(Boolean);
  return `${names.join(' ') || path} (${body.length} bytes)`;
}
