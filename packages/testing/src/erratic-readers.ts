import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@recording-request/stack/random';

/** A URL and the bytes that it must return. */
export interface ReadTarget {
  path: string;
  headers?: Record<string, string>;
  content: Buffer;
}

export interface ErraticReads {
  baseUrl: string;
  random: Random;
  /** The number of concurrent readers, each with its own connection. */
  readers: number;
  /** Returns true when no further connection should open. */
  isEnough(findings: Findings): boolean;
  /** The longest pause of a reader, in milliseconds. */
  pauseMs: number;
}

/** The counts of a run, and each response whose bytes differ from the expected bytes. */
export interface Findings {
  responses: number;
  refused: number;
  bytes: number;
  wrong: { target: ReadTarget; range: Range | undefined; status: number; got: Buffer; expected: Buffer }[];
}

interface Range {
  first: number;
  last: number;
}

interface RangeRequest {
  target: ReadTarget;
  range: Range | undefined;
}

const CONNECTION_MS = 60_000;
const TINY_BYTES = 2_000;
const MOST_IN_A_ROW = 30;
const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Reads at random, like players, resumed downloads and clients on broken networks: sends pipelined requests for tiny
 * and large ranges, pauses in the middle, and resets connections. Compares every byte and reports findings. Fails only
 * when a connection gets bytes that are not HTTP.
 */
export async function readErratically(targets: ReadTarget[], options: ErraticReads): Promise<Findings> {
  const findings: Findings = { responses: 0, refused: 0, bytes: 0, wrong: [] };
  const reader = async (number: number) => {
    const random = options.random.fork(`reader ${number}`);
    while (!options.isEnough(findings)) await oneConnection(targets, { ...options, random }, findings);
  };
  await Promise.all(Array.from({ length: options.readers }, (_, number) => reader(number)));
  return findings;
}

async function oneConnection(targets: ReadTarget[], options: ErraticReads, findings: Findings): Promise<void> {
  const { baseUrl, random } = options;
  const { hostname, port, host } = new URL(baseUrl);
  const requests = requestsOf(targets, random);
  const socket = connect(Number(port), hostname);
  // A connection closed by the server is not a finding.
  socket.on('error', () => {});
  const limit = setTimeout(() => socket.destroy(), CONNECTION_MS);
  try {
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    socket.write(requests.map(each => textOf(each, host)).join(''));
    await readAll(socket, requests, options, findings);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  } finally {
    clearTimeout(limit);
    socket.destroy();
  }
}

/** Often puts a large body first, so that it delays the responses behind it. */
function requestsOf(targets: ReadTarget[], random: Random): RangeRequest[] {
  const count = random.chance(0.5) ? random.integer(1, 3) : random.integer(4, MOST_IN_A_ROW);
  const largest = targets.reduce((most, each) => (each.content.length > most.content.length ? each : most));
  const requests: RangeRequest[] = [];
  if (random.chance(0.4)) requests.push({ target: largest, range: undefined });
  while (requests.length < count) {
    const target = random.pick(targets);
    requests.push({ target, range: rangeOf(target.content.length, random) });
  }
  return requests;
}

function rangeOf(size: number, random: Random): Range | undefined {
  if (size === 0 || random.chance(0.2)) return undefined;
  const first = random.integer(0, size - 1);
  const longest = random.chance(0.7) ? TINY_BYTES : size;
  return { first, last: Math.min(size - 1, first + random.integer(0, longest)) };
}

function textOf({ target, range }: RangeRequest, host: string): string {
  const headers = { host, ...target.headers, ...(range && { range: `bytes=${range.first}-${range.last}` }) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${target.path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

async function readAll(
  socket: Socket,
  requests: RangeRequest[],
  options: ErraticReads,
  findings: Findings,
): Promise<void> {
  const { random, pauseMs } = options;
  const responses = new ResponseComparer(requests, findings);
  const pauseAt = random.chance(0.5) ? 0 : random.integer(1, 40);
  const resetAt = random.chance(0.2) ? random.integer(1, 60) : Number.POSITIVE_INFINITY;
  let chunks = 0;
  if (pauseAt === 0) await delay(random.integer(0, pauseMs));
  for await (const chunk of socket) {
    chunks += 1;
    if (chunks === resetAt) return void socket.resetAndDestroy();
    if (chunks === pauseAt) await delay(random.integer(0, pauseMs));
    responses.add(chunk);
    if (responses.isOver) return;
  }
}

/** Compares the responses of one connection with the expected bytes as they arrive. */
class ResponseComparer {
  isOver = false;
  #head = Buffer.alloc(0);
  /** The body that is arriving. */
  #body: { expected: Buffer | undefined; got: Buffer[]; left: number; status: number; closes: boolean } | undefined;
  readonly #requests: RangeRequest[];
  readonly #findings: Findings;

  constructor(requests: RangeRequest[], findings: Findings) {
    this.#requests = [...requests];
    this.#findings = findings;
  }

  add(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0 && !this.isOver) rest = this.#body ? this.#addToBody(rest) : this.#addToHead(rest);
  }

  #addToHead(bytes: Buffer): Buffer {
    const before = this.#head.length;
    this.#head = Buffer.concat([this.#head, bytes]);
    const end = this.#head.indexOf(HEAD_END);
    if (end < 0) return Buffer.alloc(0);
    const head = this.#head.toString('latin1', 0, end);
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? [];
    const [, size] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
    if (status === undefined || size === undefined) throw new Error(`not a response with a length: ${head}`);
    this.#head = Buffer.alloc(0);
    this.#begin(Number(status), Number(size), /\r\nconnection: close/i.test(head));
    return bytes.subarray(end + HEAD_END.length - before);
  }

  #begin(status: number, size: number, closes: boolean): void {
    const { target, range } = this.#requests[0]!;
    let expected: Buffer | undefined;
    if (status === 200) expected = target.content;
    else if (status === 206 && range) expected = target.content.subarray(range.first, range.last + 1);
    this.#body = { expected, got: [], left: size, status, closes };
    if (size === 0) this.#end();
  }

  #addToBody(bytes: Buffer): Buffer {
    const body = this.#body!;
    const part = bytes.subarray(0, body.left);
    body.left -= part.length;
    body.got.push(part);
    if (body.left === 0) this.#end();
    return bytes.subarray(part.length);
  }

  #end(): void {
    const { expected, got, status, closes } = this.#body!;
    const { target, range } = this.#requests.shift()!;
    this.#body = undefined;
    this.isOver = closes || this.#requests.length === 0;
    if (!expected) {
      this.#findings.refused += 1;
      return;
    }
    const bytes = Buffer.concat(got);
    this.#findings.responses += 1;
    this.#findings.bytes += bytes.length;
    if (!bytes.equals(expected)) this.#findings.wrong.push({ target, range, status, got: bytes, expected });
  }
}
