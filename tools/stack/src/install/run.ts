import { type ChildProcess, spawn } from 'node:child_process';
import { dieWithParent } from '../child-process.ts';
import type { Log } from '../log.ts';

/** An install step failed. The message names the step and the cause, and ends with the last output of the step. */
export class StepFailedError extends Error {
  override name = 'StepFailedError';
}

export interface RunOptions {
  /** The step, for messages: "building MinIO". */
  what: string;
  log: Log;
  /** The milliseconds after which the step and all its children are killed. */
  timeoutMs: number;
  /** Returns text for the progress line, from the output so far. */
  progress?: (lines: number, lastLine: string) => string;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
  /** The milliseconds between progress lines. */
  everyMs?: number;
}

/**
 * Runs a command to its end. Logs every ten seconds that the command still runs. Resolves to the standard output;
 * rejects with StepFailedError.
 */
export async function run(command: string, args: string[], options: RunOptions): Promise<string> {
  const { what, log, timeoutMs, progress, signal, everyMs = 10_000 } = options;
  signal?.throwIfAborted();
  const [file, argv] = dieWithParent(command, args);
  // Uses a separate process group, so that the children of a compiler or a package manager end with it.
  const child = spawn(file, argv, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const output = collect(child);
  const began = Date.now();
  const ticker = setInterval(() => {
    const words = progress?.(output.lines, output.last) ?? '';
    log(`  … ${what}: ${Math.round((Date.now() - began) / 1000)} s${words ? `, ${words}` : ''}`);
  }, everyMs);
  let ending: string | undefined;
  const end = (why: string) => {
    ending ??= why;
    killGroup(child);
    // Does not wait for a descendant that left the group and still holds the streams.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  const timer = setTimeout(() => end(`took longer than ${Math.round(timeoutMs / 1000)} s`), timeoutMs);
  const onAbort = () => end('was cancelled');
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', error =>
        reject(new StepFailedError(`${what} failed: ${command} could not be started (${error.message})`)),
      );
      child.once('close', resolve);
    });
    signal?.throwIfAborted();
    if (ending || code !== 0) {
      throw new StepFailedError(
        `${what} failed: ${command} ${ending ?? `ended with exit code ${code}`}.\n${output.tail()}`,
      );
    }
    return output.stdout();
  } finally {
    clearInterval(ticker);
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

function collect(child: ChildProcess) {
  let stdout = '';
  let all = '';
  const seen = { lines: 0, last: '', stdout: () => stdout, tail: () => all.split('\n').slice(-25).join('\n').trim() };
  const take = (chunk: string) => {
    all = (all + chunk).slice(-16_384);
    seen.lines += chunk.split('\n').length - 1;
    seen.last = all.trimEnd().split('\n').at(-1) ?? '';
  };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout = (stdout + chunk).slice(-1_048_576);
    take(chunk);
  });
  child.stderr?.setEncoding('utf8').on('data', take);
  return seen;
}
