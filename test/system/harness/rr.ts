import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The source of the command `rr`. */
export const RR = fileURLToPath(new URL('../../../clients/cli/src/main.ts', import.meta.url));
const LIMIT_MS = 90_000;

export interface Finished {
  /** The exit code; null after a signal. */
  code: number | null;
  /** The signal that ended the command without its clean-up; null if the command exited itself. */
  endedBy: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  done: Promise<Finished>;
  /** Returns the text on stderr so far. */
  stderr(): string;
}

export interface RrOptions {
  cwd?: string;
  input?: string;
  env?: Record<string, string | undefined>;
  /** A shell command that runs before `rr` in the same process, such as `ulimit -f 8`. */
  shell?: string;
}

/** Starts the command `rr`, and kills it after 90 seconds. */
export function startRr(args: readonly string[], { cwd, input = '', env, shell }: RrOptions = {}): Running {
  const line = shell === undefined ? [] : ['-c', `${shell}; exec "$0" "$@"`, process.execPath];
  const child = spawn(shell === undefined ? process.execPath : 'sh', [...line, RR, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', part => {
    stdout += part;
  });
  child.stderr.setEncoding('utf8').on('data', part => {
    stderr += part;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const done = once(child, 'close').then(([code, endedBy]): Finished => ({ code, endedBy, stdout, stderr }));
  return { child, done, stderr: () => stderr };
}

/** Runs the command `rr` to its end. */
export const rr = (args: readonly string[], options?: RrOptions): Promise<Finished> => startRr(args, options).done;
