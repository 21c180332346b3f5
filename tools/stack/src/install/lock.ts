import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** A lock that is held until `release`, or until this process ends in any way. */
export interface Lock extends AsyncDisposable {
  release(): Promise<void>;
}

/** Another process holds the lock and did not release it in time. `holder` is the process that took the lock last. */
export class LockBusyError extends Error {
  readonly holder: number | undefined;
  constructor(file: string, holder: number | undefined) {
    super(`${file} is held by process ${holder ?? 'unknown'}`);
    this.name = 'LockBusyError';
    this.holder = holder;
  }
}

const BUSY = 75;

/**
 * Takes the lock named by `file`. Waits at most `waitMs` milliseconds; 0 does not wait. The kernel keeps the lock
 * through `flock`, so a lock ends with its holder, even if the file remains. On a machine without `flock`, there is no
 * lock; callers must stay correct without it. Rejects with LockBusyError after `waitMs`, and with the signal's reason
 * when the signal fires.
 */
export async function holdLock(
  file: string,
  options: { waitMs: number; signal?: AbortSignal; onWait?: (holder: number | undefined) => void },
): Promise<Lock> {
  const { waitMs, signal, onWait } = options;
  signal?.throwIfAborted();
  // `cat` ends when this process closes its input or is killed. The script empties the file before flock
  // releases the lock, so that it never erases the next holder's name.
  const hold = 'echo "$1" > "$2"; echo held; cat > /dev/null; : > "$2"';
  const args = ['--exclusive', '--wait', String(waitMs / 1000), '--conflict-exit-code', String(BUSY), file];
  const child = spawn('flock', [...args, 'sh', '-c', hold, 'sh', String(process.pid), file], {
    stdio: ['pipe', 'pipe', 'ignore'],
    // Uses a separate process group, which a terminal's Ctrl-C does not reach. So this process keeps the lock until it
    // has stopped.
    detached: true,
  });
  const { stdin, stdout } = child;
  stdin.on('error', () => {});
  const ended = new Promise<number | 'missing'>((resolve, reject) => {
    child.once('error', error =>
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? resolve('missing') : reject(error),
    );
    child.once('close', code => resolve(code ?? -1));
  });
  const held = new Promise<'held'>(resolve => stdout.once('data', () => resolve('held')));
  const aborted = new Promise<'aborted'>(resolve =>
    signal?.addEventListener('abort', () => resolve('aborted'), { once: true }),
  );
  const slow = setTimeout(async () => onWait?.(await holderOf(file)), 500);
  try {
    const outcome = await Promise.race([held, ended, aborted]);
    if (outcome === BUSY) throw new LockBusyError(file, await holderOf(file));
    if (outcome === 'aborted') {
      child.kill('SIGKILL');
      stdin.end();
      signal?.throwIfAborted();
    }
    if (outcome !== 'held' && outcome !== 'missing') throw new Error(`flock could not lock ${file} (exit ${outcome})`);
  } finally {
    clearTimeout(slow);
  }
  const release = async () => {
    stdin.end();
    await ended;
  };
  return { release, [Symbol.asyncDispose]: release };
}

async function holderOf(file: string): Promise<number | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return Number(text.trim()) || undefined;
}
