import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { isCode } from './files.ts';

/** The exit code of a child, or the signal that ended it. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A child whose output goes to a file. */
export interface Child {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves when the child has ended; never rejects. */
  readonly exited: Promise<Exit>;
  readonly exit: Exit | undefined;
  kill(signal: NodeJS.Signals): void;
  /** Sends SIGTERM, then SIGKILL if the child still runs after `graceMs` milliseconds. Resolves when it has ended. */
  stop(graceMs: number): Promise<Exit>;
  /** Returns the end of the child's output since its start. */
  logTail(): Promise<string>;
}

const LOG_ROTATE_BYTES = 20 * 1024 * 1024;
const SETPRIV = findSetpriv();
const living = new Set<ChildProcess>();

// Ends the children on exit. Without setpriv, nothing else ends them, so they survive a SIGKILL of this process.
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/**
 * Wraps a command so that the kernel kills it when this process ends, even by SIGKILL. Returns the command unchanged
 * where `setpriv` is missing.
 */
export function dieWithParent(command: string, args: string[]): [string, string[]] {
  return SETPRIV ? [SETPRIV, ['--pdeathsig', 'KILL', '--', command, ...args]] : [command, args];
}

/**
 * Starts a child in the background and appends its output to `logFile` (at most two files of 20 MB). Rejects when the
 * child cannot start.
 */
export async function startChild(options: {
  name: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  logFile: string;
}): Promise<Child> {
  const { name, logFile } = options;
  await mkdir(dirname(logFile), { recursive: true });
  const size = await sizeOf(logFile);
  if (size > LOG_ROTATE_BYTES) await rename(logFile, `${logFile}.1`);
  const logStart = size > LOG_ROTATE_BYTES ? 0 : size;
  const [file, argv] = dieWithParent(options.command, options.args);
  const log = await open(logFile, 'a');
  try {
    // Starts a new session, so that a terminal's Ctrl-C reaches only this process, which then ends the children in order.
    const stdio: StdioOptions = ['ignore', log.fd, log.fd];
    const spawned = spawn(file, argv, { cwd: options.cwd, env: options.env, stdio, detached: true });
    // Listens before the first await. Otherwise, it would miss the end of a child that exits at once.
    const child = watch(name, spawned, logFile, logStart);
    await new Promise<void>((resolve, reject) => {
      spawned.once('spawn', resolve);
      spawned.once('error', error => reject(new Error(`${name} could not be started: ${error.message}`)));
    });
    return child;
  } finally {
    await log.close();
  }
}

function watch(name: string, child: ChildProcess, logFile: string, logStart: number): Child {
  child.once('spawn', () => living.add(child));
  let exit: Exit | undefined;
  const exited = new Promise<Exit>(resolve => {
    child.once('exit', (code, signal) => {
      living.delete(child);
      exit = { code, signal };
      resolve(exit);
    });
  });
  return {
    name,
    pid: child.pid!,
    logFile,
    exited,
    get exit() {
      return exit;
    },
    kill: signal => void child.kill(signal),
    stop: async graceMs => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      try {
        return await exited;
      } finally {
        clearTimeout(timer);
      }
    },
    logTail: async () => {
      const text = await readFile(logFile).catch(() => Buffer.alloc(0));
      return text
        .subarray(Math.max(logStart, text.length - 4096))
        .toString('utf8')
        .split('\n')
        .slice(-20)
        .join('\n')
        .trim();
    },
  };
}

/** Returns whether a process with this id exists; a zombie counts. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    it => it.size,
    () => 0,
  );
}

function findSetpriv(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  for (const dir of (process.env.PATH ?? '').split(delimiter)) {
    try {
      if (!dir) continue;
      accessSync(join(dir, 'setpriv'), constants.X_OK);
      return join(dir, 'setpriv');
    } catch {
      // This folder has no setpriv.
    }
  }
  return undefined;
}
