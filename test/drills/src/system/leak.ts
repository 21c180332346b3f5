import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Limits the open files of a process to `limit`, and opens connections until they use this share of the limit. Keeps
 * the connections open. The disposal of `repair` closes them and restores the limit.
 */
export async function leakSockets(
  { pid, url, share, limit }: { pid: number; url: string; share: number; limit: number },
  repair: AsyncDisposableStack,
): Promise<void> {
  const { stdout } = await run('prlimit', ['--pid', String(pid), '--nofile', '--output=SOFT', '--noheadings']);
  // Lowering only the soft limit needs no privilege and can be reversed.
  await run('prlimit', ['--pid', String(pid), `--nofile=${limit}:`]);
  repair.defer(async () => void (await run('prlimit', ['--pid', String(pid), `--nofile=${stdout.trim()}:`])));
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  const target = Math.floor(limit * share);
  const fill = async () => {
    const held = (await readdir(`/proc/${pid}/fd`)).length;
    // Counts our open connections too, because connections that the process has not accepted yet are not among its
    // files.
    const missing = Math.min(target - held, target - open.size);
    for (let more = 0; more < missing; more++) {
      const socket = connect({ host: hostname, port: Number(port) });
      open.add(socket);
      socket.on('error', () => {}).once('close', () => open.delete(socket));
    }
  };
  await fill();
  // The process closes idle connections, so the leak opens new ones.
  const timer = setInterval(() => void fill().catch(() => {}), 1_000);
  repair.defer(() => {
    clearInterval(timer);
    for (const socket of open) socket.destroy();
  });
}
