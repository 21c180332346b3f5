import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { mainOf } from './processes.ts';
import type { Pod } from './product.ts';

const EVERY_MS = 500;
const LIMIT_MS = 10_000;
const CALLS_PORT = 50_051;
const runFile = promisify(execFile);

/** Returns each pod's share of the bytes that callers sent within `ms` milliseconds, 0 to 1, in the order of `pods`. */
export async function sharesOf(pods: Pod[], ms: number): Promise<number[]> {
  const pids = await Promise.all(pods.map(({ uid }) => mainOf(uid)));
  const sums = pods.map(() => 0);
  // Counts each connection separately, because connections end and begin every few seconds.
  const seen = new Map<string, number>();
  const end = Date.now() + ms;
  for (let isFirst = true; Date.now() < end; isFirst = false) {
    for (const [at, pid] of pids.entries())
      for (const [connection, bytes] of await received(pid)) {
        const key = `${at} ${connection}`;
        if (!isFirst) sums[at]! += bytes - (seen.get(key) ?? 0);
        seen.set(key, bytes);
      }
    await delay(EVERY_MS);
  }
  const all = sums.reduce((total, sum) => total + sum, 0);
  return sums.map(sum => sum / Math.max(1, all));
}

/** Returns the bytes that a process's network has received over each connection to the RPC port. */
async function received(pid: number): Promise<[connection: string, bytes: number][]> {
  const args = ['--target', String(pid), '--net', '--', 'ss', '-Htin', `sport = :${CALLS_PORT}`];
  const { stdout } = await runFile('nsenter', args, { timeout: LIMIT_MS });
  const lines = stdout.split('\n');
  const found: [string, number][] = [];
  for (const [at, line] of lines.entries()) {
    if (!line.startsWith('ESTAB')) continue;
    const bytes = /bytes_received:(\d+)/.exec(lines[at + 1] ?? '');
    if (bytes) found.push([line.split(/\s+/)[4]!, Number(bytes[1])]);
  }
  return found;
}
