import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import { meterCpu } from '@recording-request/kit/ffmpeg/child-cpu';
import { type Purpose, startRun } from '@recording-request/kit/ffmpeg/run-figures';
import { endAttributes, programAttributes } from '@recording-request/kit/ffmpeg/run-program';
import { safeInputOptions } from '@recording-request/kit/ffmpeg/safe-input';
import {
  endedFromOutside,
  killGroup,
  type RunOptions,
  reachedCpuLimit,
  type Sandbox,
  SPAWN_OPTIONS,
} from '@recording-request/kit/ffmpeg/sandbox';
import { inSpan } from '@recording-request/kit/telemetry/span';
import ffmpeg from 'fluent-ffmpeg';

/** One run of ffmpeg. Options are arguments, one an item, that stand before the path. */
export interface FfmpegCall {
  /** The purpose of the run, for its span and its figures. */
  purpose: Purpose;
  inputs: Array<{ path: string; options?: string[] }>;
  outputs: Array<{ path: string; options: string[] }>;
}

/** ffmpeg ended with a fault. `output` is the end of its messages, for the log only. */
export class FfmpegError extends Error {
  readonly output: string;

  constructor(message: string, output: string, cause: unknown) {
    super(message, { cause });
    this.name = 'FfmpegError';
    this.output = output;
  }
}

/** The disk was full, which is not the clip's fault. */
export class DiskFullError extends Error {
  override name = 'DiskFullError';
}

/** The two methods by which fluent-ffmpeg decides which program it starts and how; it has no option for either. */
interface Command extends ffmpeg.FfmpegCommand {
  ffmpegProc?: ChildProcess;
  _getFfmpegPath(done: (error: unknown, path: string) => void): void;
  _spawnFfmpeg(args: string[], options: SpawnOptions, ...callbacks: unknown[]): void;
}

const MESSAGE_LINES = 40;
const DISK_FULL = /No space left on device/;

/**
 * Runs ffmpeg and overwrites its outputs. Rejects with FfmpegError, which is about the clip; with DiskFullError; with the
 * signal's reason; or with another error where someone else killed the process. Then its outputs are removed, as a part of
 * one could be taken for the whole.
 */
export async function runFfmpeg(call: FfmpegCall, options: RunOptions): Promise<void> {
  const { purpose, inputs, outputs } = call;
  const bytesIn = await bytesOf(inputs);
  const attributes = programAttributes('ffmpeg', { purpose, bytesIn });
  const endRun = startRun('ffmpeg', purpose);
  await inSpan('ffmpeg', { attributes }, async span => {
    try {
      await run(commandOf(call, options.sandbox), options, (child, seconds) => {
        span.set({ ...endAttributes(child), 'recording.cpu.seconds': seconds });
        endRun(child.exitCode === 0, seconds);
      });
      span.set({ 'recording.bytes.out': await bytesOf(outputs) });
    } catch (error) {
      await Promise.all(outputs.map(({ path }) => rm(path, { force: true })));
      throw error;
    }
  });
}

/** The bytes of the files that are there, each counted once. */
async function bytesOf(files: { path: string }[]): Promise<number> {
  const paths = [...new Set(files.map(({ path }) => path))];
  const sizes = await Promise.all(
    paths.map(path =>
      stat(path)
        .then(({ size }) => size)
        .catch(() => 0),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Lets fluent-ffmpeg cache what the first job would ask for. */
export async function findFfmpeg(sandbox: Sandbox): Promise<void> {
  const formats = Promise.withResolvers<void>();
  confined(sandbox).availableFormats(error => (error ? formats.reject(error) : formats.resolve()));
  await formats.promise;
  const encoders = Promise.withResolvers<void>();
  confined(sandbox).availableEncoders(error => (error ? encoders.reject(error) : encoders.resolve()));
  await encoders.promise;
}

function confined(sandbox: Sandbox): Command {
  const command = ffmpeg({ stdoutLines: MESSAGE_LINES }) as Command;
  const start = command._spawnFfmpeg;
  command._getFfmpegPath = done => done(null, sandbox.commandOf('ffmpeg', []).command);
  command._spawnFfmpeg = (args, options, ...callbacks) =>
    start.call(command, sandbox.commandOf('ffmpeg', args).args, { ...options, ...SPAWN_OPTIONS }, ...callbacks);
  return command;
}

function commandOf({ inputs, outputs }: FfmpegCall, sandbox: Sandbox): Command {
  const command = confined(sandbox);
  // One filter thread per core would take the memory of many stacks.
  const global = ['-nostdin', '-hide_banner', '-v', 'error', '-filter_threads', '1'];
  for (const [at, { path, options = [] }] of inputs.entries())
    command
      .input(path)
      .inputOptions(
        ...((at === 0 ? global : []) as [string]),
        '-threads',
        '1',
        ...safeInputOptions('file'),
        ...options,
      );
  for (const { path, options } of outputs) command.output(path).outputOptions('-threads', '1', ...options);
  return command;
}

type OnExit = (child: ChildProcess, cpuSeconds: number | undefined) => void;

function run(command: Command, { signal, sandbox }: RunOptions, onExit: OnExit): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Kept here: fluent-ffmpeg forgets it before it reports the end.
  let child: ChildProcess | undefined;
  let cpuSeconds: number | undefined;
  const kill = () => child && killGroup(child);
  signal.addEventListener('abort', kill, { once: true });
  command.on('start', () => {
    const started = command.ffmpegProc!;
    child = started;
    meterCpu(started, seconds => {
      cpuSeconds = seconds;
      onExit(started, seconds);
    });
    // Before the start there was no process to kill.
    if (signal.aborted) kill();
  });
  // A disk that is full only at the very end shows in the messages and not in the exit code.
  command.on('end', (_stdout: unknown, stderr: string | null) => {
    if (DISK_FULL.test(stderr ?? '')) reject(new DiskFullError(stderr ?? ''));
    else resolve();
  });
  const fail = (error: Error, stderr: string | null) => {
    const isOverLimit = child && reachedCpuLimit(child, cpuSeconds, sandbox.cpuSeconds.ffmpeg);
    const by = child && endedFromOutside(child);
    if (signal.aborted) reject(signal.reason);
    else if (by && !isOverLimit) reject(new Error(`ffmpeg was ended by ${by}`, { cause: error }));
    else if (DISK_FULL.test(`${error.message} ${stderr}`)) reject(new DiskFullError(error.message, { cause: error }));
    else reject(new FfmpegError(error.message, stderr ?? '', error));
  };
  // Once the end of the process was metered, too.
  command.on(
    'error',
    (error: Error, _stdout: unknown, stderr: string | null) => void setImmediate(fail, error, stderr),
  );
  command.run();
  return promise.finally(() => signal.removeEventListener('abort', kill));
}
