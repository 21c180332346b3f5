import { setTimeout } from 'node:timers/promises';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { type RecordingRequest, UnexpectedAnswerError } from '@recording-request/client';
import { mcpServer } from '#mcp-tools';
import { EXIT, Failure, reportOf } from '../failures.ts';
import type { Output } from '../output.ts';
import { checkToken } from '../token.ts';
import { restCaller } from './rest.ts';

export interface ServeOptions {
  client: RecordingRequest;
  /** The address of the service. */
  baseUrl: string;
  token: string;
  out: Output;
  signal: AbortSignal;
}

const CHECK_LIMIT_MS = 10_000;
// The same limit as at `POST /mcp` of the gateway.
const MESSAGE_BYTES = 256 * 1024;
const CALLS_AT_ONCE = 20;
// The time limit of a call.
const END_LIMIT_MS = 60_000;

/**
 * Serves the tools for agents until stdin is closed, and then answers the calls that are under way. Fails if the
 * service refuses the token, or if the address is not an address of the service. During an outage, it only prints a
 * note, because each tool reports the outage.
 */
export async function serve({ client, baseUrl, token, out, signal }: ServeOptions): Promise<void> {
  await check(client, baseUrl, out, signal);
  const address = baseUrl.replace(/\/+$/, '');
  const sentenceOf = (error: unknown) => reportOf(error).sentence;
  const server = mcpServer({
    ...{ baseUrl: address, token, signal, sentenceOf },
    callRest: restCaller(address, token),
    onFailure: error => out.note(sentenceOf(error)),
  });
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MESSAGE_BYTES });
  const calls = countCalls(transport);
  server.onerror = () => out.note('A message was ignored: it is no valid message of the protocol.');
  let isCut = false;
  const ended = new Promise<void>(resolve => {
    for (const event of ['end', 'close', 'error']) process.stdin.once(event, () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
    server.onclose = () => {
      isCut = true;
      resolve();
    };
  });
  await server.connect(transport);
  out.note(`Serving the tools of ${address} to an agent. Close stdin, or press Ctrl-C, to end.`);
  await ended;
  signal.throwIfAborted();
  if (isCut) throw new Failure(EXIT.invalid, `A message is longer than ${MESSAGE_BYTES / 1024} KiB.`);
  const limit = new AbortController();
  const late = setTimeout(END_LIMIT_MS, undefined, { signal: AbortSignal.any([limit.signal, signal]) });
  await Promise.race([calls.done(), late.catch(() => {})]);
  limit.abort();
  server.onclose = undefined;
  await server.close();
}

async function check(client: RecordingRequest, baseUrl: string, out: Output, signal: AbortSignal): Promise<void> {
  try {
    await checkToken(client, baseUrl, { signal, retries: 0, timeoutMs: CHECK_LIMIT_MS });
  } catch (error) {
    signal.throwIfAborted();
    const { exitCode, sentence } = reportOf(error);
    const isLasting = error instanceof Failure || error instanceof UnexpectedAnswerError || isUntrusted(error);
    if (exitCode !== EXIT.unreachable || isLasting) throw error;
    out.note(`${sentence} The tools work as soon as the service does.`);
  }
}

const isUntrusted = (error: unknown) => error instanceof Error && 'isPermanent' in error && error.isPermanent === true;

/** Tracks the calls of a connection that have no answer yet. Reads no further calls while there are too many. */
function countCalls(transport: StdioServerTransport): { done(): Promise<void> } {
  const open = new Set<string | number>();
  let whenDone: (() => void) | undefined;
  const remove = (id: string | number) => {
    open.delete(id);
    if (open.size < CALLS_AT_ONCE) process.stdin.resume();
    if (open.size === 0) whenDone?.();
  };
  transport.onmessage = (message: JSONRPCMessage) => {
    if ('method' in message && 'id' in message) open.add(message.id);
    // A cancelled call gets no answer.
    if ('method' in message && message.method === 'notifications/cancelled') {
      const { requestId } = (message.params ?? {}) as { requestId?: string | number };
      if (requestId !== undefined) remove(requestId);
    }
    if (open.size >= CALLS_AT_ONCE) process.stdin.pause();
  };
  const send = transport.send.bind(transport);
  transport.send = async message => {
    await send(message);
    if (!('method' in message) && message.id !== undefined) remove(message.id);
  };
  return {
    async done() {
      if (open.size > 0) await new Promise<void>(resolve => (whenDone = resolve));
    },
  };
}
