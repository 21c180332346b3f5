import { IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// A young collection takes some 0.3 ms at this interval. A shorter one would collect more often for little memory.
const COLLECT_BYTES = 4 * 1024 * 1024;
// After a collection the next one waits this many times its duration: collections take at most 5 % of this thread's time.
const PAUSE = 20;

type Collect = (options: { type: 'minor' }) => void;

/**
 * A request whose body is freed while it comes. Node reads each piece of a body into memory outside V8's heap, and V8 starts no
 * young collection because of that memory (https://github.com/nodejs/node/issues/1671): it collects only after 64 MB.
 * Without this class a server that drops a body of 1 GiB peaks at 159 MiB instead of 128 (80 for 1 MiB), and uses
 * 1,070 ms of processor time instead of 870 (means of three runs, Node 26, AMD EPYC). Goal 9 of the benchmark needs it.
 */
export class CollectedRequest extends IncomingMessage {
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk) countRead(chunk.length);
    return super.push(chunk, encoding);
  }
}

// When undici gives up a body, it keeps the connection open for the response only where the prototype's constructor is Node's own
// (https://github.com/nodejs/undici/pull/834). Otherwise the client sees a reset in place of a 503.
Object.defineProperty(CollectedRequest.prototype, 'constructor', { value: IncomingMessage });

let read = 0;
let nextAt = 0;
let collect: Collect | undefined;

function countRead(bytes: number): void {
  read += bytes;
  if (read < COLLECT_BYTES || performance.now() < nextAt) return;
  read = 0;
  collect ??= exposedCollector();
  const before = process.threadCpuUsage();
  collect({ type: 'minor' });
  const { user, system } = process.threadCpuUsage(before);
  nextAt = performance.now() + (PAUSE * (user + system)) / 1_000;
}

/** Node offers V8's collector only behind a flag, which applies to contexts made after it. */
function exposedCollector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
