import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The parent folder of the library. Debian keeps the library in a subfolder named after the machine's architecture. */
const LIBRARIES = '/usr/lib';

/**
 * Returns the variables that set a process's clock `offsetSeconds` ahead (behind if negative). The timers of the
 * process run at the normal speed. Returns none for 0. Throws when the Debian package `faketime` is missing.
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
      // This folder has no faketime.
    }
  }
  throw new Error('faketime is not installed: run `sudo apt-get install faketime` and try again.');
}
