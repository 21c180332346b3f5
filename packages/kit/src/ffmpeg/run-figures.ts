import { readFileSync } from 'node:fs';
import { countOf, durationOf, secondsSince } from '../telemetry/metrics.ts';
import type { Program } from './sandbox.ts';

/** Why a program is run: see `recording.purpose` in docs/metrics.md. */
export type Purpose = 'all' | 'remux' | 'thumbnails' | 'audio' | 'sound' | 'packets' | 'frame';

/** Notes that a run has ended. Returns the CPU seconds that it took, to a hundredth. */
export type EndRun = (isOk: boolean) => number;

const runDuration = durationOf('recording.ffmpeg.duration');
const countCpu = countOf('recording.ffmpeg.cpu.time');
const TICKS_PER_SECOND = 100;
let running = 0;
let seenTicks = 0;

/** Notes that a run begins. Call what is returned once, when its process has ended: of two that end in the same moment the first has the CPU time of both. */
export function startRun(program: Program, purpose: Purpose): EndRun {
  // What ended while none ran was none of these.
  if (running === 0) seenTicks = childTicks();
  running += 1;
  const startedAt = performance.now();
  const name = { 'process.executable.name': program };
  return isOk => {
    running -= 1;
    const outcome = { 'recording.purpose': purpose, 'recording.outcome': isOk ? 'ok' : 'failed' };
    runDuration(secondsSince(startedAt), { ...name, ...outcome });
    const ticks = childTicks();
    const seconds = Math.max(0, ticks - seenTicks) / TICKS_PER_SECOND;
    seenTicks = ticks;
    countCpu(name, seconds);
    return seconds;
  };
}

/** CPU time of all children that have ended, in ticks; 0 on a system without /proc. */
function childTicks(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    // The program's name, in parentheses, may have blanks. Fields 16 and 17 of proc(5) are the 14th and 15th behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[13]) + Number(fields[14]);
  } catch {
    return 0;
  }
}
