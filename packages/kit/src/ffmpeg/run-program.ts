import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { type Purpose, startRun } from './run-figures.ts';
import { endedFromOutside, killGroup, type Program, type RunOptions, SPAWN_OPTIONS } from './sandbox.ts';

/** The program reached the end of its CPU time: there is more in the file than it may work on. */
export class CpuTimeError extends Error {}

/** A program under its limits. Disposing kills it, with all that it started. */
export interface RunningProgram extends Disposable {
  /** Undefined where it is given none. */
  stdin: Writable | null;
  stdout: Readable;
  /**
   * Resolves when the program has ended, with its exit code, which is null after a signal of its own. Rejects with the signal's
   * reason once that fired, with a CpuTimeError, or when someone else ended it, which says nothing about the file.
   */
  end(): Promise<number | null>;
}

/** Starts a program, whose messages are dropped. The signal kills it. */
export function runProgram<P extends Program>(
  program: P,
  args: string[],
  { signal, sandbox }: RunOptions<P>,
  { purpose, stdin = 'ignore' }: { purpose: Purpose; stdin?: 'ignore' | 'pipe' },
): RunningProgram {
  signal.throwIfAborted();
  const command = sandbox.commandOf(program, args);
  const endRun = startRun(program, purpose);
  const child: ChildProcess = spawn(command.command, command.args, {
    ...SPAWN_OPTIONS,
    stdio: [stdin, 'pipe', 'ignore'],
  });
  child.once('exit', code => endRun(code === 0));
  const kill = () => killGroup(child);
  signal.addEventListener('abort', kill, { once: true });
  const closed = once(child, 'close');
  // Awaited by `end`, unless the reader stops before; then it must not become an unhandled rejection.
  closed.catch(() => {});
  return {
    stdin: child.stdin,
    stdout: child.stdout!,
    async end() {
      await closed;
      signal.throwIfAborted();
      if (child.signalCode === 'SIGXCPU') throw new CpuTimeError(`${program} reached the end of its CPU time`);
      const by = endedFromOutside(child);
      if (by) throw new Error(`${program} was ended by ${by}`);
      return child.exitCode;
    },
    [Symbol.dispose]() {
      signal.removeEventListener('abort', kill);
      kill();
    },
  };
}
