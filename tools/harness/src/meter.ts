import { readdirSync, readFileSync } from 'node:fs';
import { type MachineTimes, type ProcessTimes, parseMachine, parseProcess, startOf, ticksOf } from './proc-stat.ts';

/** A tick is 10 ms: the unit of process times in Linux. */
export const TICK_MS = 10;
/** The minimum number of ticks for a figure, so that one tick is at most 0.3 % of it. */
export const MIN_TICKS = 300;

/** The machine's CPU time during a measurement, in any unit. */
export interface MachineTime {
  /** The time of all cores, including idle time. */
  all: number;
  /** The time of processes outside this run. */
  foreign: number;
  /** The time of other guests on the same host. */
  stolen: number;
}

/** The processes of each kind, by the ids of the started processes. The descendants of these processes count too. */
export type Groups = Readonly<Record<string, readonly number[]>>;

/** The use since a meter's start. */
export interface Reading {
  seconds: number;
  /** CPU time of each group, in ticks. */
  ticks: Readonly<Record<string, number>>;
  machine: MachineTime;
}

/** Reads CPU times on demand. Nothing runs between the reads. */
export interface Meter {
  read(): Reading;
  /** Returns the CPU time of one group until now, in ticks. */
  ticks(group: string): number;
}

/** Starts a meter. This process's descendants belong to the run; all other processes count as `foreign`. */
export function startMeter(groups: Groups): Meter {
  const [startedAt, before, machineBefore] = [performance.now(), readProcesses(), readMachine()];
  const since = (now: readonly ProcessTimes[], roots: readonly number[]) =>
    ticksOf(now, roots) - ticksOf(before, roots);
  return {
    ticks: group => since(readProcesses(), groups[group] ?? []),
    read() {
      const [now, machineNow, seconds] = [readProcesses(), readMachine(), (performance.now() - startedAt) / 1000];
      const ticks = Object.fromEntries(Object.entries(groups).map(([name, roots]) => [name, since(now, roots)]));
      return { seconds, ticks, machine: machineTime(machineBefore, machineNow, since(now, [process.pid])) };
    },
  };
}

function machineTime(before: MachineTimes, now: MachineTimes, own: number): MachineTime {
  return {
    all: now.all - before.all,
    foreign: Math.max(0, now.busy - before.busy - own),
    stolen: now.stolen - before.stolen,
  };
}

function readMachine(): MachineTimes {
  return parseMachine(readFileSync('/proc/stat', 'utf8'));
}

function readProcesses(): ProcessTimes[] {
  return readdirSync('/proc').flatMap(name => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [parseProcess(readFileSync(`/proc/${name}/stat`, 'utf8'))];
    } catch {
      // The process has ended between the two reads.
      return [];
    }
  });
}

/** Returns the age of a process in seconds, with a precision of 10 ms. */
export function secondsSinceStart(pid: number): number {
  const up = Number.parseFloat(readFileSync('/proc/uptime', 'utf8'));
  return up - (startOf(readFileSync(`/proc/${pid}/stat`, 'utf8')) * TICK_MS) / 1_000;
}
