import { readFileSync, writeFileSync } from 'node:fs';

/** Has a process's peak of resident memory begin again at what it has now. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** The most resident memory that a process has had since its peak was forgotten, in bytes. */
export const peakOf = (pid: number): number => statusOf(pid, 'VmHWM');

/** The memory of a process that is resident now, in bytes. */
export const residentOf = (pid: number): number => statusOf(pid, 'VmRSS');

function statusOf(pid: number, field: string): number {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kilobytes === undefined) throw new Error(`the system does not tell the memory of process ${pid}`);
  return Number(kilobytes) * 1024;
}
