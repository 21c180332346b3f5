import { writeSync } from 'node:fs';
import { type DestinationStream, pino } from 'pino';

// What comes in this time is written together: each write takes a thread's time, and wakes the process that reads it.
const TOGETHER_MS = 20;
const TOGETHER_LENGTH = 8_192;
const STDOUT = 1;

/**
 * Returns what writes lines to stdout, some milliseconds after they came at the latest. It waits for who reads them only after a fatal
 * line and when the process ends: one that ends by itself, also by an error, writes all of them.
 */
export function logLines(): DestinationStream {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  // Before the one of pino, which writes what it was given and has not begun to write.
  process.on('exit', flushSync);
  const stdout = pino.destination({ dest: STDOUT, sync: false });

  function write(line: string): void {
    lines += line;
    if (lines.length >= TOGETHER_LENGTH) flush();
    else timer ??= setTimeout(flush, TOGETHER_MS).unref();
  }

  function taken(): string {
    clearTimeout(timer);
    timer = undefined;
    const text = lines;
    lines = '';
    return text;
  }

  function flush(): void {
    stdout.write(taken());
  }

  /** pino calls it after a fatal line. */
  function flushSync(): void {
    const text = taken();
    if (text === '') return;
    stdout.flushSync();
    try {
      writeSync(STDOUT, text);
    } catch {
      // Nobody reads them any more.
    }
  }

  return { write, flushSync } as DestinationStream;
}
