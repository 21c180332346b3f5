import { observe } from '@recording-request/kit-telemetry/metrics';
import { usedSeconds } from './child-cpu.ts';

export type Program = 'ffmpeg' | 'ffprobe';

/** The state of a running program that its metrics need. */
export interface RunningProcess {
  /** Undefined while the id is unknown. */
  pid(): number | undefined;
  /**
   * Returns whether this process has output of the program to read. The program may then wait for this process, which
   * is not a stall.
   */
  isUnread(): boolean;
}

/** All times are values of `activeMs`. */
interface Run extends RunningProcess {
  program: Program;
  startedAt: number;
  cpuSeconds: number;
  /** The time of the last sample in which the program had used CPU time, or possibly waited for this process. */
  workedAt: number;
}

/** The seconds of the ended runs of a program. */
interface Ended {
  runSeconds: number;
  cpuSeconds: number;
  /** The last reported CPU seconds, including those of running programs. */
  reportedCpu: number;
}

type ProgramMetric =
  | 'recording.ffmpeg.run.time'
  | 'recording.ffmpeg.cpu.time'
  | 'recording.program.age'
  | 'recording.program.stalled';

const SAMPLE_MS = 2_000;
// While a program runs, a longer pause between two samples shows that this process was suspended. The rest of the pause
// does not count, because the program may have been suspended too, or may have waited for this process.
const PAUSE_MAX_MS = 2 * SAMPLE_MS;
const HAS_PROC = usedSeconds(process.pid) !== undefined;

const runs = new Set<Run>();
const ended = new Map<Program, Ended>();
let timer: NodeJS.Timeout | undefined;
let active = 0;
let lookedAt = 0;

/**
 * Returns the milliseconds for which this process was not suspended. Only differences between two values within a run
 * are meaningful.
 */
function activeMs(): number {
  const now = performance.now();
  active += Math.min(now - lookedAt, PAUSE_MAX_MS);
  lookedAt = now;
  return active;
}

/** Reports zeros for these programs until they run. */
export function reportPrograms(programs: Program[]): void {
  for (const program of programs) endedOf(program);
}

function endedOf(program: Program): Ended {
  const known = ended.get(program) ?? { runSeconds: 0, cpuSeconds: 0, reportedCpu: 0 };
  ended.set(program, known);
  return known;
}

/** Reports a program while it runs. Call the returned function once, when it has ended. */
export function reportRunning(program: Program, process: RunningProcess): (cpuSeconds: number | undefined) => void {
  const total = endedOf(program);
  const startedAt = activeMs();
  const run: Run = { ...process, program, startedAt, cpuSeconds: 0, workedAt: startedAt };
  runs.add(run);
  timer ??= setInterval(sample, SAMPLE_MS).unref();
  return cpuSeconds => {
    runs.delete(run);
    total.runSeconds += (activeMs() - startedAt) / 1_000;
    total.cpuSeconds += cpuSeconds ?? 0;
    if (runs.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Reads the CPU seconds of all running programs. Returns the value of `activeMs`. */
function sample(): number {
  const now = activeMs();
  for (const run of runs) {
    const pid = run.pid();
    const cpuSeconds = pid === undefined ? undefined : usedSeconds(pid);
    if (cpuSeconds === undefined || cpuSeconds > run.cpuSeconds || run.isUnread()) run.workedAt = now;
    run.cpuSeconds = Math.max(run.cpuSeconds, cpuSeconds ?? 0);
  }
  return now;
}

/** Reports a metric of each program. `read` gets the totals of the ended runs, the current runs, and the time. */
function report(name: ProgramMetric, read: (total: Ended, running: Run[], now: number) => number): void {
  observe(name, () => {
    const now = sample();
    return [...ended].map(([program, total]) => {
      const running = [...runs].filter(run => run.program === program);
      return [read(total, running, now), { 'process.executable.name': program }] as const;
    });
  });
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

report('recording.ffmpeg.run.time', ({ runSeconds }, running, now) => {
  return runSeconds + sum(running.map(({ startedAt }) => now - startedAt)) / 1_000;
});
report('recording.program.age', (_, running, now) => {
  return Math.max(0, ...running.map(({ startedAt }) => now - startedAt)) / 1_000;
});
report('recording.program.stalled', (_, running, now) => {
  return Math.max(0, ...running.map(({ workedAt }) => now - workedAt)) / 1_000;
});
if (HAS_PROC)
  report('recording.ffmpeg.cpu.time', (total, running) => {
    // If several programs end at once, the meter attributes the seconds of all of them to the first one. The sum is too
    // high until the others end.
    const seconds = total.cpuSeconds + sum(running.map(({ cpuSeconds }) => cpuSeconds));
    total.reportedCpu = Math.max(total.reportedCpu, seconds);
    return total.reportedCpu;
  });
