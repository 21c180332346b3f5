import { IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// A collection of what is young takes some 0.3 ms then; of less it would be more of them for little memory.
const COLLECT_BYTES = 4 * 1024 * 1024;
// So many times as long as a collection took of this thread's time there is no other: one with much that is young loses 5 % at most.
const PAUSE = 20;

type Collect = (options: { type: 'minor' }) => void;

/**
 * A request that has its body's memory collected as it comes. Each piece is read into memory of its own, outside of V8's heap. That memory makes no
 * collection of what is young begin, however much of it is garbage, and the collection of everything only after it has grown by 64 MB. Pages that are used again
 * also come sooner than new ones.
 */
export class CollectedRequest extends IncomingMessage {
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk) countRead(chunk.length);
    return super.push(chunk, encoding);
  }
}

// undici leaves the connection of a server's request to its answer, and tells such a request by this alone.
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

/** Node has no other way to V8's collector than a flag, which counts for contexts that are made after it. */
function exposedCollector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
