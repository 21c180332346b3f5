import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { startSpan } from '@recording-request/kit-telemetry/span';
import { meterCpu } from './child-cpu.ts';
import { type Purpose, startRun } from './run-figures.ts';
import type { Program } from './running-programs.ts';
import { type Ended, killedBy, killGroup, type RunOptions, reachedCpuLimit, SPAWN_OPTIONS } from './sandbox.ts';

/** The program used up its CPU time: the file needs more CPU time than the limit. */
export class CpuTimeError extends Error {}

/** A running program with limits. Disposing kills the program and every process that it started. */
export interface RunningProgram extends Disposable {
  /** Null if the program gets no input. */
  stdin: Writable | null;
  stdout: Readable;
  /**
   * Resolves with the exit code when the program has ended, or with null if the program ended itself by a signal.
   * Rejects with the reason of the caller's signal, with a CpuTimeError, or with another error if another process
   * killed the program. That other error does not mean that the file is at fault.
   */
  end(): Promise<number | null>;
}

export interface ProgramOptions {
  stdin?: 'ignore' | 'pipe';
  /** The name of the run's span. */
  span: 'ffprobe' | 'sound levels';
  purpose: Purpose;
  /** The size of the program's input, if known. */
  bytesIn?: number | undefined;
}

/**
 * Starts a program and ignores its stderr. Kills the program when the signal fires. The run's span ends with the
 * program.
 */
export function runProgram<P extends Program>(
  program: P,
  args: string[],
  { signal, sandbox }: RunOptions<P>,
  { stdin = 'ignore', span: name, purpose, bytesIn }: ProgramOptions,
): RunningProgram {
  signal.throwIfAborted();
  const span = startSpan(name, { attributes: programAttributes(program, { purpose, bytesIn }) });
  const command = sandbox.commandOf(program, args);
  const child: ChildProcess = spawn(command.command, command.args, {
    ...SPAWN_OPTIONS,
    stdio: [stdin, 'pipe', 'ignore'],
  });
  // A program that is killed because its reader stopped has not failed.
  let isDisposed = false;
  let cpuSeconds: number | undefined;
  const limit = sandbox.cpuSeconds[program];
  const failureOf = () => failed(program, child, cpuSeconds, limit);
  const endMeter = meterCpu();
  // Checks only the output: no program waits for input, because the callers write all input at the start.
  const isUnread = () => child.stdout!.readableLength > 0;
  const endRun = startRun(program, purpose, { pid: () => child.pid, isUnread });
  const onEnd = () => {
    cpuSeconds = endMeter();
    span.set({ 'recording.cpu.seconds': cpuSeconds });
    if (isDisposed || child.exitCode === 0) endRun('ok', cpuSeconds);
    else endRun(!signal.aborted && killedBy(child, cpuSeconds, limit) ? 'killed' : 'failed', cpuSeconds);
  };
  child.once('exit', onEnd);
  child.once('close', () => {
    span.set({ ...endAttributes(child), 'recording.bytes.out': (child.stdout as Socket).bytesRead });
    span.end(signal.aborted ? signal.reason : isDisposed ? undefined : failureOf());
  });
  child.once('error', error => {
    // A program that did not start has no `exit` event.
    if (child.pid === undefined) onEnd();
    span.end(error);
  });
  const kill = () => killGroup(child);
  signal.addEventListener('abort', kill, { once: true });
  const closed = once(child, 'close');
  // `end` awaits this promise, unless the reader stops first. In that case a rejection must not be unhandled.
  closed.catch(() => {});
  return {
    stdin: child.stdin,
    stdout: child.stdout!,
    async end() {
      await closed;
      signal.throwIfAborted();
      const failure = failureOf();
      if (failure) throw failure;
      return child.exitCode;
    },
    [Symbol.dispose]() {
      isDisposed = true;
      signal.removeEventListener('abort', kill);
      kill();
    },
  };
}

/** Returns the reason why a program did not end by itself; undefined if it did. */
function failed(
  program: Program,
  child: ChildProcess,
  cpuSeconds: number | undefined,
  limit: number,
): Error | undefined {
  if (reachedCpuLimit(child, cpuSeconds, limit)) return new CpuTimeError(`${program} reached the end of its CPU time`);
  const by = killedBy(child, cpuSeconds, limit);
  return by === undefined ? undefined : new Error(`${program} was ended by ${by}`);
}

/** The attributes of a run's span at its start. */
export const programAttributes = (
  program: Program,
  { purpose, bytesIn }: Pick<ProgramOptions, 'purpose' | 'bytesIn'>,
) => ({ 'process.executable.name': program, 'recording.purpose': purpose, 'recording.bytes.in': bytesIn });

/** The attributes of a run's span at its end. */
export const endAttributes = ({ exitCode, signalCode }: Ended) => ({
  'process.exit.code': exitCode ?? undefined,
  'recording.exit.signal': signalCode ?? undefined,
});
