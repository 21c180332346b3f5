import { readdirSync, readFileSync } from 'node:fs';
import { type MachineTimes, type ProcessTimes, parseMachine, parseProcess, startOf, ticksOf } from './proc-stat.ts';

/** One tick is 10 ms: the unit in which Linux tells processes their time. */
export const TICK_MS = 10;
/** Fewer ticks than this are too few for a figure: a tick is ± 0.3 % of it. */
export const MIN_TICKS = 300;

/** The machine's CPU time while something was measured, in any one unit. */
export interface MachineTime {
  /** Of all cores, idle time included. */
  all: number;
  /** Used by processes that are not of this run. */
  foreign: number;
  /** Taken by other guests of the same host. */
  stolen: number;
}

/** The processes of one kind, by the ids of those that were started; their descendants count with them. */
export type Groups = Readonly<Record<string, readonly number[]>>;

/** What was used since a meter was started. */
export interface Reading {
  seconds: number;
  /** CPU time of each group, in ticks. */
  ticks: Readonly<Record<string, number>>;
  machine: MachineTime;
}

/** Reads CPU times until it is dropped; it runs nothing in between. */
export interface Meter {
  /** Returns what was used until now. */
  read(): Reading;
  /** The CPU time of one group until now, in ticks. */
  ticks(group: string): number;
}

/** Starts a meter. All that descends from this process is of this run; any other process is foreign. */
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
      // It ended in the meantime.
      return [];
    }
  });
}

/** Returns how long a process has been running, to 10 ms. */
export function secondsSinceStart(pid: number): number {
  const up = Number.parseFloat(readFileSync('/proc/uptime', 'utf8'));
  return up - (startOf(readFileSync(`/proc/${pid}/stat`, 'utf8')) * TICK_MS) / 1_000;
}
