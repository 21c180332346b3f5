import { durationOf, secondsSince } from '@recording-request/kit-telemetry/metrics';
import { type Program, type RunningProcess, reportRunning } from './running-programs.ts';

/** The purpose of a run: see `recording.purpose` in docs/metrics.md. */
export type Purpose = 'all' | 'remux' | 'thumbnails' | 'audio' | 'sound' | 'packets' | 'frame';

/** `killed`: a signal that this service did not send ended the program. */
export type Outcome = 'ok' | 'failed' | 'killed';

/** Records the end of a run, with its CPU seconds if the system reports them. */
export type EndRun = (outcome: Outcome, cpuSeconds: number | undefined) => void;

const runDuration = durationOf('recording.ffmpeg.duration');

/** Records the start of a run. Call the returned function once, when the process has ended. */
export function startRun(program: Program, purpose: Purpose, process: RunningProcess): EndRun {
  const startedAt = performance.now();
  const endRunning = reportRunning(program, process);
  return (outcome, cpuSeconds) => {
    const attributes = { 'process.executable.name': program, 'recording.purpose': purpose };
    runDuration(secondsSince(startedAt), { ...attributes, 'recording.outcome': outcome });
    endRunning(cpuSeconds);
  };
}
