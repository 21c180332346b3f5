import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { hasStopped, isAlive } from '@recording-request/harness/proc';
import { waitFor } from '@recording-request/stack/wait';
import { onRuns, runsOf, signalTo, starve } from './runs.ts';

const onLinux = { skip: process.platform !== 'linux' && 'reads /proc' };
const find = () => runsOf(process.pid, 'sh');
const busy = () => spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' });
const until = (what: string, so: () => Promise<boolean>) =>
  waitFor(what, async () => (await so()) || undefined, { timeoutMs: 20_000, intervalMs: 5 });

test('starved runs stop and continue in turn, and all continue in the end', onLinux, async () => {
  using child = busy();
  const pid = child.pid!;
  await until('the run', async () => find().includes(pid));
  const repair = new AsyncDisposableStack();
  starve(find, 0.1, repair);
  for (let times = 0; times < 2; times++) {
    await until('a stop', () => hasStopped(pid));
    await until('a continuation', async () => !(await hasStopped(pid)));
  }
  await until('a stop', () => hasStopped(pid));
  await repair.disposeAsync();
  await until('the end', async () => !(await hasStopped(pid)));
});

test('acts on runs that start later, until the end', onLinux, async () => {
  const repair = new AsyncDisposableStack();
  onRuns(find, pids => void pids.map(pid => signalTo(pid, 'SIGKILL')), repair);
  {
    using child = busy();
    const [, signal] = await once(child, 'exit');
    assert.equal(signal, 'SIGKILL');
  }
  await repair.disposeAsync();
  using other = busy();
  await until('the run', async () => find().includes(other.pid!));
  assert.equal(await isAlive(other.pid!), true);
});

test('a signal to an ended process is not an error', async () => {
  const child = spawn('true');
  await once(child, 'exit');
  assert.equal(signalTo(child.pid!, 'SIGCONT'), false);
});
