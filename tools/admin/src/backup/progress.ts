import { NotDone } from '../run-erase.ts';

const SHOW_MS = 5_000;
const LOOK_MS = 5_000;

/** The progress of a long command. */
export interface Progress {
  /** Starts a new step of the work. Shows the line every few seconds while the work makes progress. */
  now(line: () => string): void;
  /** Records progress: a read, a write or a deletion, with the number of its bytes. */
  tick(bytes?: number): void;
  /** The number of bytes in all ticks. */
  readonly bytes: number;
  /** The latest line. */
  readonly line: string;
  readonly ticks: number;
}

export function createProgress(show: (line: string) => void): Progress {
  let line = () => '';
  let [bytes, ticks] = [0, 0];
  let shownAt = performance.now();
  return {
    now(next) {
      line = next;
    },
    tick(more = 0) {
      ticks += 1;
      bytes += more;
      if (performance.now() - shownAt < SHOW_MS) return;
      shownAt = performance.now();
      show(line());
    },
    get bytes() {
      return bytes;
    },
    get line() {
      return line();
    },
    get ticks() {
      return ticks;
    },
  };
}

/** The command made no progress. Its work still hangs, so the process must exit. */
export class Stalled extends NotDone {}

/**
 * Waits for `work`. Rejects with Stalled when there is no tick for `limitMs`. Does not stop the work. Does not count
 * the time in which this process was paused.
 */
export async function unlessStalled<T>(
  work: Promise<T>,
  progress: Progress,
  { limitMs, lookMs = Math.min(LOOK_MS, limitMs) }: { limitMs: number; lookMs?: number },
): Promise<T> {
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  let before = progress.ticks;
  let idleMs = 0;
  const timer = setInterval(() => {
    idleMs = progress.ticks === before ? idleMs + lookMs : 0;
    before = progress.ticks;
    if (idleMs < limitMs) return;
    const seconds = Math.round(limitMs / 1_000);
    reject(
      new Stalled(
        `The backup was not completed: nothing was read or written for ${seconds} s (BACKUP_STALL_SECONDS), after: ${progress.line}. Check the servers and the backup’s place, and run it again; copied objects are not copied twice.`,
      ),
    );
  }, lookMs);
  try {
    return await Promise.race([work, stalled]);
  } finally {
    clearInterval(timer);
  }
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** Returns a size in the largest fitting unit, such as `1.5 GB`. */
export function sizeText(bytes: number): string {
  let [size, unit] = [bytes, 0];
  for (; size >= 1_000 && unit < UNITS.length - 1; unit += 1) size /= 1_000;
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`;
}

/** Returns a function that describes how much of a total is done, with the rate since now. */
export function sharesOf(total: { count: number; bytes: number }, progress: Progress) {
  const startedAt = performance.now();
  const bytesBefore = progress.bytes;
  return (done: { count: number; bytes: number }): string => {
    const seconds = Math.max(1, (performance.now() - startedAt) / 1_000);
    const rate = sizeText(Math.round((progress.bytes - bytesBefore) / seconds));
    const number = (count: number) => count.toLocaleString('en');
    return `${number(done.count)} of ${number(total.count)} objects, ${sizeText(done.bytes)} of ${sizeText(total.bytes)}, ${rate}/s`;
  };
}
