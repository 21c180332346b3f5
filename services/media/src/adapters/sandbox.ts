import { type ChildProcess, execFile, type SpawnOptions } from 'node:child_process';
import { promisify } from 'node:util';

export type Program = 'ffmpeg' | 'ffprobe';

/** What one run of ffmpeg or ffprobe may take at most. */
export interface Limits {
  /** Memory of its own, code not counted. */
  memoryBytes: number;
  cpuSeconds: Record<Program, number>;
  /** Of one file that it writes. */
  fileBytes: number;
  openFiles: number;
  /** Processes and threads of this service's user, all programs together. */
  processes: number;
}

/** How programs that read files from outside are run on this system. */
export interface Sandbox {
  /** The command line of a program with these arguments, in two parts. */
  commandOf(program: Program, args: string[]): { command: string; args: string[] };
  /** Names of the limits that hold. */
  limits: string[];
  /** Whether the system kills a program when this process is gone, however that came. */
  endsWithParent: boolean;
}

/** Until when a program may run, and under what. */
export interface RunOptions {
  signal: AbortSignal;
  sandbox: Sandbox;
}

/**
 * How each of them is started: nothing of ours in its environment that a hostile file could carry away, nothing to read
 * from, and a process group of its own, so that whatever it starts is killed with it.
 */
export const SPAWN_OPTIONS = {
  env: { PATH: process.env.PATH, LC_ALL: 'C' },
  stdio: ['ignore', 'pipe', 'pipe'],
  detached: true,
} as const satisfies SpawnOptions;

// The system tells of no parent that ended before it was asked to: then the program must not begin.
const BY_PARENT = ['sh', '-c', 'unset PWD; [ "$PPID" = "$0" ] && exec "$@"', String(process.pid)];
const PARENT_DEATH = ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs', ...BY_PARENT];
const TRIAL_MS = 10_000;

/** Tries what this system has; each limit for itself, because one that is lower already cannot be raised. */
export async function detectSandbox(limits: Limits): Promise<Sandbox> {
  const options: Record<string, (program: Program) => string> = {
    memory: () => `--data=${limits.memoryBytes}`,
    // The first of the two can be told from other ends by its signal.
    'CPU time': program => `--cpu=${limits.cpuSeconds[program]}:${limits.cpuSeconds[program] + 1}`,
    'file size': () => `--fsize=${limits.fileBytes}`,
    'open files': () => `--nofile=${limits.openFiles}`,
    processes: () => `--nproc=${limits.processes}`,
    'core files': () => '--core=0',
  };
  const tried = await Promise.all(
    Object.entries(options).map(async ([name, option]) => ({
      name,
      option,
      works: await works(['prlimit', option('ffmpeg')]),
    })),
  );
  const kept = tried.filter(one => one.works);
  const endsWithParent = await works(PARENT_DEATH);
  return {
    commandOf(program, args) {
      const [command, ...rest] = [
        ...(endsWithParent ? PARENT_DEATH : []),
        ...(kept.length > 0 ? ['prlimit', ...kept.map(({ option }) => option(program))] : []),
        program,
        ...args,
      ] as [string, ...string[]];
      return { command, args: rest };
    },
    limits: kept.map(({ name }) => name),
    endsWithParent,
  };
}

/** Kills what was started with SPAWN_OPTIONS, and all that it started. */
export function killGroup(child: ChildProcess): void {
  // Once it has ended its number may be another's.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function works([program, ...args]: string[]): Promise<boolean> {
  try {
    await promisify(execFile)(program!, [...args, 'true'], { env: SPAWN_OPTIONS.env, timeout: TRIAL_MS });
    return true;
  } catch {
    return false;
  }
}

const FROM_OUTSIDE = new Set(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL']);
/** What ffmpeg ends with after a signal that it could tidy up for. */
const SIGNALLED = 255;

/** How a program was ended by somebody, which says nothing about the file it read; undefined where it ended by itself. */
export function endedFromOutside({
  signalCode,
  exitCode,
}: Pick<ChildProcess, 'signalCode' | 'exitCode'>): string | undefined {
  if (signalCode !== null) return FROM_OUTSIDE.has(signalCode) ? signalCode : undefined;
  return exitCode === SIGNALLED ? 'a signal' : undefined;
}
