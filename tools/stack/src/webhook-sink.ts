import { type ReceivedRequest, startReceiver } from '@recording-request/harness/webhook-receiver';
import type { Log } from './log.ts';

/** One request as received. */
export interface ReceivedEvent extends Omit<ReceivedRequest, 'at'> {
  receivedAt: string;
}

export interface WebhookSink extends AsyncDisposable {
  url: string;
  /** The newest thousand events, oldest first. */
  events: ReceivedEvent[];
}

const MAX_KEPT = 1_000;

/**
 * Starts a receiver of webhooks, on 127.0.0.1 by default. It keeps a POST to any path and returns 204. GET / lists the
 * events as readable JSON. GET /?raw lists every header, and the body as text and as bytes. `answer` chooses another
 * status for a request, to test the sender.
 */
export async function startWebhookSink(
  options: { host?: string; port?: number; log?: Log; answer?: (event: ReceivedEvent) => number } = {},
): Promise<WebhookSink> {
  const { host = '127.0.0.1', port, log, answer } = options;
  const events: ReceivedEvent[] = [];
  const receiver = await startReceiver({ host, ...(port === undefined ? {} : { port }), keeps: () => false });
  receiver.respond = ({ path, headers, body, at }, response, { method }) => {
    if (method !== 'POST') {
      const shown = events.map(path.endsWith('?raw') ? toRawEvent : toReadableEvent);
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(`${JSON.stringify({ events: shown }, null, 2)}\n`);
    }
    const event = { receivedAt: new Date(at).toISOString(), path, headers, body };
    events.push(event);
    if (events.length > MAX_KEPT) events.shift();
    log?.(`webhook received: ${describe(event)}`);
    response.writeHead(answer?.(event) ?? 204).end();
  };
  return {
    url: `http://${host}:${receiver.port}/`,
    events,
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}

const toRawEvent = ({ body, ...event }: ReceivedEvent): object => ({
  ...event,
  body: body.toString('utf8'),
  bodyBase64: body.toString('base64'),
});

const SIGNATURES = ['service-signature', 'webhook-signature'];

function toReadableEvent({ receivedAt, path, headers, body }: ReceivedEvent): object {
  const signed = SIGNATURES.some(name => headers[name] !== undefined);
  return { receivedAt, path, type: headers['service-event'], signed, body: parsed(body.toString('utf8')) };
}

/** Parses JSON; returns other text unchanged. */
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
