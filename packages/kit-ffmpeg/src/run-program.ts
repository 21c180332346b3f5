import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { startSpan } from '@recording-request/kit-telemetry/span';
import { meterCpu } from './child-cpu.ts';
import { type Purpose, startRun } from './run-figures.ts';
import {
  type Ended,
  endedFromOutside,
  killGroup,
  type Program,
  type RunOptions,
  reachedCpuLimit,
  SPAWN_OPTIONS,
} from './sandbox.ts';

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

export interface ProgramOptions {
  stdin?: 'ignore' | 'pipe';
  /** The name of its span. */
  span: 'ffprobe' | 'sound levels';
  purpose: Purpose;
  /** Of its input, where that is known. */
  bytesIn?: number | undefined;
}

/** Starts a program, whose messages are dropped. The signal kills it. Its span ends with it. */
export function runProgram<P extends Program>(
  program: P,
  args: string[],
  { signal, sandbox }: RunOptions<P>,
  { stdin = 'ignore', span: name, purpose, bytesIn }: ProgramOptions,
): RunningProgram {
  signal.throwIfAborted();
  const span = startSpan(name, { attributes: programAttributes(program, { purpose, bytesIn }) });
  const command = sandbox.commandOf(program, args);
  const endRun = startRun(program, purpose);
  const child: ChildProcess = spawn(command.command, command.args, {
    ...SPAWN_OPTIONS,
    stdio: [stdin, 'pipe', 'ignore'],
  });
  // One whose reader has seen enough is killed, and has not failed.
  let isDisposed = false;
  let cpuSeconds: number | undefined;
  const failureOf = () => failed(program, child, cpuSeconds, sandbox.cpuSeconds[program]);
  const endMeter = meterCpu();
  child.once('exit', () => {
    cpuSeconds = endMeter();
    span.set({ 'recording.cpu.seconds': cpuSeconds });
    endRun(isDisposed || child.exitCode === 0, cpuSeconds);
  });
  child.once('close', () => {
    span.set({ ...endAttributes(child), 'recording.bytes.out': (child.stdout as Socket).bytesRead });
    span.end(signal.aborted ? signal.reason : isDisposed ? undefined : failureOf());
  });
  child.once('error', error => span.end(error));
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

/** Returns why a program did not come to its end by itself; undefined where it did. */
function failed(
  program: Program,
  child: ChildProcess,
  cpuSeconds: number | undefined,
  limit: number,
): Error | undefined {
  if (reachedCpuLimit(child, cpuSeconds, limit)) return new CpuTimeError(`${program} reached the end of its CPU time`);
  const by = endedFromOutside(child);
  return by === undefined ? undefined : new Error(`${program} was ended by ${by}`);
}

/** What the span of a run says from its beginning. */
export const programAttributes = (
  program: Program,
  { purpose, bytesIn }: Pick<ProgramOptions, 'purpose' | 'bytesIn'>,
) => ({ 'process.executable.name': program, 'recording.purpose': purpose, 'recording.bytes.in': bytesIn });

/** What it says of the end. */
export const endAttributes = ({ exitCode, signalCode }: Ended) => ({
  'process.exit.code': exitCode ?? undefined,
  'recording.exit.signal': signalCode ?? undefined,
});
