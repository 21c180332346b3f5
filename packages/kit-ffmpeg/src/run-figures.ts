import { countOf, durationOf, secondsSince } from '@recording-request/kit-telemetry/metrics';
import type { Program } from './sandbox.ts';

/** The purpose of a run: see `recording.purpose` in docs/metrics.md. */
export type Purpose = 'all' | 'remux' | 'thumbnails' | 'audio' | 'sound' | 'packets' | 'frame';

/** Records the end of a run, with its CPU seconds if the system reports them. */
export type EndRun = (isOk: boolean, cpuSeconds: number | undefined) => void;

const runDuration = durationOf('recording.ffmpeg.duration');
const countCpu = countOf('recording.ffmpeg.cpu.time');

/** Records the start of a run. Call the returned function once, when the process has ended. */
export function startRun(program: Program, purpose: Purpose): EndRun {
  const startedAt = performance.now();
  const name = { 'process.executable.name': program };
  return (isOk, cpuSeconds) => {
    const outcome = { 'recording.purpose': purpose, 'recording.outcome': isOk ? 'ok' : 'failed' };
    runDuration(secondsSince(startedAt), { ...name, ...outcome });
    if (cpuSeconds !== undefined) countCpu(name, cpuSeconds);
  };
}
