import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Debian keeps the library in a folder that is named for the machine. */
const LIBRARIES = '/usr/lib';

/**
 * The variables under which a process sees a clock that is `offsetSeconds` ahead, or behind where that is negative. Its timers
 * keep their pace. None for 0. Throws when the Debian package `faketime` is not installed.
 */
export function fakeClock(offsetSeconds: number): Record<string, string> {
  if (offsetSeconds === 0) return {};
  const sign = offsetSeconds > 0 ? '+' : '';
  return { LD_PRELOAD: library(), FAKETIME: `${sign}${offsetSeconds}s`, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}

function library(): string {
  for (const machine of readdirSync(LIBRARIES)) {
    const dir = join(LIBRARIES, machine, 'faketime');
    try {
      if (readdirSync(dir).includes('libfaketime.so.1')) return join(dir, 'libfaketime.so.1');
    } catch {
      // Not in this one.
    }
  }
  throw new Error('faketime is not installed: run `sudo apt-get install faketime` and try again.');
}
