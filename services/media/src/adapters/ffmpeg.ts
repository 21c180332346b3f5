import { rm, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { meterCpu } from '@recording-request/kit-ffmpeg/child-cpu';
import { type Purpose, startRun } from '@recording-request/kit-ffmpeg/run-figures';
import { endAttributes, programAttributes } from '@recording-request/kit-ffmpeg/run-program';
import { safeInputOptions } from '@recording-request/kit-ffmpeg/safe-input';
import {
  type Ended,
  killedBy,
  type RunOptions,
  type Sandbox,
  SPAWN_OPTIONS,
} from '@recording-request/kit-ffmpeg/sandbox';
import { inSpan } from '@recording-request/kit-telemetry/span';
import ffmpeg from 'fluent-ffmpeg';

/** One run of ffmpeg. Options are arguments, one per item, before the path. */
export interface FfmpegCall {
  /** The purpose of the run, for its span and metrics. */
  purpose: Purpose;
  inputs: Array<{ path: string; options?: string[] }>;
  outputs: Array<{ path: string; options: string[] }>;
}

/** ffmpeg failed. `output` is the end of its messages, and only the log shows it. */
export class FfmpegError extends Error {
  readonly output: string;

  constructor(message: string, output: string, cause: unknown) {
    super(message, { cause });
    this.name = 'FfmpegError';
    this.output = output;
  }
}

/** The disk was full; the clip is not at fault. */
export class DiskFullError extends Error {
  override name = 'DiskFullError';
}

const MESSAGE_LINES = 40;
const DISK_FULL = /No space left on device/;
const END = /^ffmpeg (?:was killed with signal (\w+)|exited with code (\d+))/;
// Sets the limits of SPAWN_OPTIONS here, because fluent-ffmpeg starts programs with its own options. `env`, `setsid`,
// `sh` and ffmpeg run one after another in the same process. `sh` prints the process id, because fluent-ffmpeg does not
// report it.
const IN_SANDBOX = [
  ...['-i', ...Object.entries(SPAWN_OPTIONS.env).map(([name, value]) => `${name}=${value}`)],
  ...['setsid', 'sh', '-c', 'unset PWD; echo "[pid $$]" >&2; exec "$@" </dev/null', 'sh'],
];
const PID = /^\[pid (\d+)\]$/;

/**
 * Runs ffmpeg and overwrites its outputs. Rejects with FfmpegError if the clip is at fault, with DiskFullError if the disk is
 * full, with the signal's reason after an abort, and with another error if another process killed ffmpeg. A failed run removes
 * its outputs, because a partial file could pass for a complete one.
 */
export async function runFfmpeg(call: FfmpegCall, options: RunOptions): Promise<void> {
  const { purpose, inputs, outputs } = call;
  const bytesIn = await bytesOf(inputs);
  const attributes = programAttributes('ffmpeg', { purpose, bytesIn });
  await inSpan('ffmpeg', { attributes }, async span => {
    try {
      await findFfmpeg();
      await run(call, options, (ended, seconds) =>
        span.set({ ...endAttributes(ended), 'recording.cpu.seconds': seconds }),
      );
      span.set({ 'recording.bytes.out': await bytesOf(outputs) });
    } catch (error) {
      await Promise.all(outputs.map(({ path }) => rm(path, { force: true })));
      throw error;
    }
  });
}

/** Returns the total bytes of the existing files, each counted once. */
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

let found: Promise<void> | undefined;

/**
 * Lets fluent-ffmpeg read and cache ffmpeg's formats and encoders. After this, fluent-ffmpeg starts `env` instead of
 * ffmpeg: the options of each run begin with the rest of the command line.
 */
export function findFfmpeg(): Promise<void> {
  found ??= (async () => {
    await promisify(ffmpeg.getAvailableFormats)();
    await promisify(ffmpeg.getAvailableEncoders)();
    ffmpeg.setFfmpegPath('env');
  })();
  return found;
}

function commandOf({ inputs, outputs }: FfmpegCall, sandbox: Sandbox): ffmpeg.FfmpegCommand {
  const command = ffmpeg({ stdoutLines: MESSAGE_LINES });
  const confined = sandbox.commandOf('ffmpeg', []);
  // One filter thread per core would need too much stack memory.
  const global = ['-nostdin', '-hide_banner', '-v', 'error', '-filter_threads', '1'];
  const start = [...IN_SANDBOX, confined.command, ...confined.args, ...global];
  for (const [at, { path, options = [] }] of inputs.entries())
    command
      .input(path)
      .inputOptions(...((at === 0 ? start : []) as [string]), '-threads', '1', ...safeInputOptions('file'), ...options);
  for (const { path, options } of outputs) command.output(path).outputOptions('-threads', '1', ...options);
  return command;
}

type OnExit = (ended: Ended, cpuSeconds: number | undefined) => void;

function run(call: FfmpegCall, { signal, sandbox }: RunOptions, onExit: OnExit): Promise<void> {
  signal.throwIfAborted();
  const command = commandOf(call, sandbox);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const kill = () => void command.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  let pid: number | undefined;
  command.on('stderr', (line: string) => {
    pid ??= Number(PID.exec(line)?.[1]) || undefined;
  });
  const endMeter = meterCpu();
  const endRun = startRun('ffmpeg', call.purpose, { pid: () => pid, isUnread: () => false });
  const onEnd = (ended: Ended) => {
    const cpuSeconds = endMeter();
    const by = signal.aborted ? undefined : killedBy(ended, cpuSeconds, sandbox.cpuSeconds.ffmpeg);
    endRun(ended.exitCode === 0 ? 'ok' : by ? 'killed' : 'failed', cpuSeconds);
    onExit(ended, cpuSeconds);
    return by;
  };
  // The signal may abort before the process starts, when nothing can be killed yet.
  command.on('start', () => signal.aborted && kill());
  // Reads the messages: if the disk fills up at the very end, only the messages show it, not the exit code.
  command.on('end', (_stdout: unknown, stderr: string | null) => {
    onEnd({ exitCode: 0, signalCode: null });
    if (DISK_FULL.test(stderr ?? '')) reject(new DiskFullError(stderr ?? ''));
    else resolve();
  });
  command.on('error', (error: Error, _stdout: unknown, stderr: string | null) => {
    const by = onEnd(endOf(error));
    if (signal.aborted) reject(signal.reason);
    else if (by) reject(new Error(`ffmpeg was ended by ${by}`, { cause: error }));
    else if (DISK_FULL.test(`${error.message} ${stderr}`)) reject(new DiskFullError(error.message, { cause: error }));
    else reject(new FfmpegError(error.message, stderr ?? '', error));
  });
  command.run();
  return promise.finally(() => signal.removeEventListener('abort', kill));
}

/** Parses the message, because fluent-ffmpeg reports the end of a process only there. */
function endOf({ message }: Error): Ended {
  const [, signalCode, exitCode] = END.exec(message) ?? [];
  return {
    signalCode: (signalCode as NodeJS.Signals | undefined) ?? null,
    exitCode: exitCode === undefined ? null : Number(exitCode),
  };
}
