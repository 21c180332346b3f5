import { countOf, durationOf, secondsSince } from '@recording-request/kit-telemetry/metrics';
import type { Program } from './sandbox.ts';

/** Why a program is run: see `recording.purpose` in docs/metrics.md. */
export type Purpose = 'all' | 'remux' | 'thumbnails' | 'audio' | 'sound' | 'packets' | 'frame';

/** Notes that a run has ended, with the CPU seconds that it took, where the system tells. */
export type EndRun = (isOk: boolean, cpuSeconds: number | undefined) => void;

const runDuration = durationOf('recording.ffmpeg.duration');
const countCpu = countOf('recording.ffmpeg.cpu.time');

/** Notes that a run begins. Call what is returned once, when its process has ended. */
export function startRun(program: Program, purpose: Purpose): EndRun {
  const startedAt = performance.now();
  const name = { 'process.executable.name': program };
  return (isOk, cpuSeconds) => {
    const outcome = { 'recording.purpose': purpose, 'recording.outcome': isOk ? 'ok' : 'failed' };
    runDuration(secondsSince(startedAt), { ...name, ...outcome });
    if (cpuSeconds !== undefined) countCpu(name, cpuSeconds);
  };
}
