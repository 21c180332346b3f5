import { rm } from 'node:fs/promises';
import { SpanStatusCode, trace } from '@opentelemetry/api';
import ffmpeg from 'fluent-ffmpeg';
import { INPUT_GUARDS } from './guards.ts';

/** One run of ffmpeg. Options are arguments, one an item, that stand before the path. */
export interface FfmpegCall {
  /** What the run is for, as the span says. */
  purpose: string;
  inputs: Array<{ path: string; options?: string[] }>;
  outputs: Array<{ path: string; options: string[] }>;
  /** A bound that holds even when this process dies: seconds of CPU. */
  cpuSeconds: number;
  attributes?: Record<string, string | number>;
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

const MESSAGE_LINES = 40;
const tracer = trace.getTracer('media');

/**
 * Rejects with FfmpegError, or with the signal's reason after the process was killed; then none of its outputs is left,
 * as what is there would be a part that looks like a whole. Overwrites its outputs.
 */
export async function runFfmpeg(call: FfmpegCall, signal: AbortSignal): Promise<void> {
  const attributes = { 'media.purpose': call.purpose, 'media.outputs': call.outputs.length, ...call.attributes };
  await tracer.startActiveSpan('ffmpeg', { attributes }, async span => {
    try {
      await run(commandOf(call), signal);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message });
      await Promise.all(call.outputs.map(({ path }) => rm(path, { force: true })));
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Rejects when there is no ffmpeg to run; else the first job need not look for it. */
export async function findFfmpeg(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  ffmpeg.getAvailableFormats(error => (error ? reject(error) : resolve()));
  await promise;
  const encoders = Promise.withResolvers<void>();
  ffmpeg.getAvailableEncoders(error => (error ? encoders.reject(error) : encoders.resolve()));
  await encoders.promise;
}

function commandOf({ inputs, outputs, cpuSeconds }: FfmpegCall): ffmpeg.FfmpegCommand {
  const command = ffmpeg({ stdoutLines: MESSAGE_LINES });
  const global = ['-nostdin', '-hide_banner', '-v', 'error', '-timelimit', String(Math.ceil(cpuSeconds))];
  for (const [at, { path, options = [] }] of inputs.entries())
    command
      .input(path)
      .inputOptions(...((at === 0 ? global : []) as [string]), '-threads', '1', ...INPUT_GUARDS, ...options);
  for (const { path, options } of outputs) command.output(path).outputOptions('-threads', '1', ...options);
  return command;
}

function run(command: ffmpeg.FfmpegCommand, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const kill = () => command.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  // There was nothing to kill before the start.
  command.on('start', () => signal.aborted && kill());
  command.on('end', () => resolve());
  command.on('error', (error: Error, _stdout: unknown, stderr: string | null) =>
    reject(signal.aborted ? signal.reason : new FfmpegError(error.message, stderr ?? '', error)),
  );
  command.run();
  return promise.finally(() => signal.removeEventListener('abort', kill));
}
