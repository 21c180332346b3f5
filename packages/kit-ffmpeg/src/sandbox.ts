import { type ChildProcess, execFile, type SpawnOptions } from 'node:child_process';
import { promisify } from 'node:util';
import type { Logger } from '@recording-request/kit/log';
import { type Program, reportPrograms } from './running-programs.ts';

/** The limits of one run of each program. */
export interface Limits<P extends Program = Program> {
  /** Bytes of the data segment, without the program's code. */
  memoryBytes: Record<P, number>;
  cpuSeconds: Record<P, number>;
  /** Bytes of one file that the program writes. */
  fileBytes: number;
  openFiles: number;
  /** The total number of processes and threads of this service's user. */
  processes: number;
}

/** The confinement, on this system, of ffmpeg and ffprobe, which read untrusted files. */
export interface Sandbox<P extends Program = Program> {
  /** Returns the program to start and its arguments. */
  commandOf(program: P, args: string[]): { command: string; args: string[] };
  /** The names of the active limits. */
  limits: string[];
  cpuSeconds: Record<P, number>;
  /** True if the system kills a program when this process ends for any reason. */
  endsWithParent: boolean;
}

/** The sandbox of a run, and the signal that kills it. */
export interface RunOptions<P extends Program = Program> {
  signal: AbortSignal;
  sandbox: Sandbox<P>;
}

/**
 * The options with which a program starts. The program gets no environment variables of this process, because a hostile
 * file could leak them, and no stdin. It gets its own process group, so that killing the group also kills everything
 * that the program started.
 */
export const SPAWN_OPTIONS = {
  env: { PATH: process.env.PATH, LC_ALL: 'C' },
  stdio: ['ignore', 'pipe', 'pipe'],
  detached: true,
} as const satisfies SpawnOptions;

// If the parent died before setpriv requested the signal, the signal never comes. So the program must not start then.
const BY_PARENT = ['sh', '-c', 'unset PWD; [ "$PPID" = "$0" ] && exec "$@"', String(process.pid)];
const PARENT_DEATH = ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs', ...BY_PARENT];
const TRIAL_MS = 10_000;

/** Detects and logs which limits this system grants, and reports the programs. Rejects if a program is missing. */
export async function openSandbox<P extends Program>(limits: Limits<P>, log: Logger): Promise<Sandbox<P>> {
  const sandbox = await detectSandbox(limits);
  const programs = Object.keys(limits.memoryBytes) as P[];
  await Promise.all(programs.map(program => findProgram(program, sandbox)));
  reportPrograms(programs);
  const about = { programs, limits: sandbox.limits, endsWithParent: sandbox.endsWithParent };
  if (about.limits.length > 0 && about.endsWithParent) log.info(about, 'Programs that read files run under limits');
  else log.warn(about, 'Programs that read files run without some of their limits');
  return sandbox;
}

/**
 * Detects which limits this system grants. Tries each limit separately, because the system refuses a limit above its
 * own lower limit.
 */
export async function detectSandbox<P extends Program>(limits: Limits<P>): Promise<Sandbox<P>> {
  const options: Record<string, (program: P) => string> = {
    memory: program => `--data=${limits.memoryBytes[program]}`,
    // The soft limit sends SIGXCPU, which shows that the program used up its CPU time.
    'CPU time': program => `--cpu=${limits.cpuSeconds[program]}:${limits.cpuSeconds[program] + 1}`,
    'file size': () => `--fsize=${limits.fileBytes}`,
    'open files': () => `--nofile=${limits.openFiles}`,
    processes: () => `--nproc=${limits.processes}`,
    'core files': () => '--core=0',
  };
  const [first] = Object.keys(limits.memoryBytes) as [P];
  const tried = await Promise.all(
    Object.entries(options).map(async ([name, option]) => ({
      name,
      option,
      works: await works(['prlimit', option(first)]),
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
    cpuSeconds: limits.cpuSeconds,
    endsWithParent,
  };
}

/** Kills a process that was started with SPAWN_OPTIONS, and all that it started. */
export function killGroup(child: ChildProcess): void {
  // After the process has ended, another process may get its id.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function findProgram<P extends Program>(program: P, sandbox: Sandbox<P>): Promise<void> {
  const { command, args } = sandbox.commandOf(program, ['-version']);
  await promisify(execFile)(command, args, { env: SPAWN_OPTIONS.env, timeout: TRIAL_MS }).catch(cause => {
    throw new Error(`${program} does not run; install it on the PATH`, { cause });
  });
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
/** The exit code of ffmpeg after a signal that ffmpeg handles, such as SIGXCPU. */
const SIGNALLED = 255;

/** The part of a ChildProcess that shows how the program ended. */
export type Ended = Pick<ChildProcess, 'signalCode' | 'exitCode'>;

/**
 * Returns whether a program used up its CPU time, which is the file's fault. ffmpeg exits with the same code after
 * every signal, and the system kills it if it does not end soon after the limit. So this function compares the CPU
 * seconds of the program with the limit.
 */
export function reachedCpuLimit(child: Ended, seconds: number | undefined, limit: number): boolean {
  if (child.signalCode === 'SIGXCPU') return true;
  return endedFromOutside(child) !== undefined && seconds !== undefined && seconds >= limit;
}

/**
 * Returns the signal if another process, possibly this service, killed the program; the file is then not at fault.
 * Otherwise returns undefined.
 */
export const killedBy = (child: Ended, seconds: number | undefined, limit: number): string | undefined =>
  reachedCpuLimit(child, seconds, limit) ? undefined : endedFromOutside(child);

function endedFromOutside({ signalCode, exitCode }: Ended): string | undefined {
  if (signalCode !== null) return FROM_OUTSIDE.has(signalCode) ? signalCode : undefined;
  return exitCode === SIGNALLED ? 'a signal' : undefined;
}
