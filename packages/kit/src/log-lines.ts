import { writeSync } from 'node:fs';
import { type DestinationStream, pino } from 'pino';

// Lines within this time are written in one call, because each write costs CPU time and wakes the reader.
const TOGETHER_MS = 20;
const TOGETHER_LENGTH = 8_192;
const STDOUT = 1;

/**
 * Returns a stream that writes lines to stdout within milliseconds. Blocks only after a fatal line and when the process
 * exits, so that all lines are written even if the process ends by an error.
 */
export function logLines(): DestinationStream {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  // This runs before pino's own exit handler, which writes the lines that pino still holds.
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

  /** pino calls this function after a fatal line. */
  function flushSync(): void {
    const text = taken();
    if (text === '') return;
    stdout.flushSync();
    try {
      writeSync(STDOUT, text);
    } catch {
      // The reader has closed the pipe.
    }
  }

  return { write, flushSync } as DestinationStream;
}
