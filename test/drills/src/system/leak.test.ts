import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { waitFor } from '@recording-request/stack/wait';
import { leakSockets } from './leak.ts';

const SERVER = `require('node:net').createServer(() => {}).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`;
const LIMIT = 200;

const filesOf = async (pid: number) => (await readdir(`/proc/${pid}/fd`)).length;
const limitOf = async (pid: number) =>
  Number(/^Max open files\s+(\d+)/m.exec(await readFile(`/proc/${pid}/limits`, 'utf8'))![1]);

test('leaks sockets into a process up to a share of its files, and closes them all', async t => {
  if (process.platform !== 'linux') return t.skip('limits of another process are Linux’s');
  using child = spawn(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  const pid = child.pid!;
  const before = { files: await filesOf(pid), limit: await limitOf(pid) };
  const repair = new AsyncDisposableStack();
  await leakSockets({ pid, url: `http://127.0.0.1:${String(port).trim()}`, share: 0.9, limit: LIMIT }, repair);
  const is = (what: string, so: (files: number) => boolean) =>
    waitFor(what, async () => so(await filesOf(pid)) || undefined, { timeoutMs: 20_000 });
  await is('the leak', files => files >= 0.9 * LIMIT && files < LIMIT);
  assert.equal(await limitOf(pid), LIMIT);
  await repair.disposeAsync();
  await is('its end', files => files <= before.files + 1);
  assert.equal(await limitOf(pid), before.limit);
});
