import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isAlive } from '../child-process.ts';
import { exists } from '../files.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { waitFor } from '../wait.ts';
import { cacheRoot, installOnce } from './cache.ts';
import { holdLock, LockBusyError } from './lock.ts';

const HOLD_LOCK = fileURLToPath(new URL('../testing/hold-lock.ts', import.meta.url));
const INSTALL_ONE = fileURLToPath(new URL('../testing/install-one.ts', import.meta.url));

function install(root: string): { child: ChildProcess; output: () => string; ended: Promise<number | null> } {
  const child = spawn(process.execPath, [INSTALL_ONE, root], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  return { child, output: () => output, ended: new Promise(resolve => child.once('close', resolve)) };
}

const says = (one: { output: () => string }, what: string) =>
  waitFor(what, async () => (one.output().includes(what) ? true : undefined), { timeoutMs: 20_000 });

test('two processes that install at once both succeed, and only one does the work', async () => {
  await using dir = await tempDir();
  const first = install(dir.path);
  await says(first, 'filling');
  const second = install(dir.path);
  await says(second, `waiting for process ${first.child.pid}`);
  await writeFile(join(dir.path, 'go'), '');
  assert.deepEqual(await Promise.all([first.ended, second.ended]), [0, 0]);
  assert.equal((await readFile(join(dir.path, 'fills'), 'utf8')).trim(), String(first.child.pid));
  assert.match(second.output(), /installed .*thing-1\.0/);
});

test('takes over the lock and the half-filled folder of a killed process', async () => {
  await using dir = await tempDir();
  const first = install(dir.path);
  await says(first, 'filling');
  first.child.kill('SIGKILL');
  await first.ended;
  assert.equal(await exists(join(dir.path, 'thing-1.0')), false);
  await writeFile(join(dir.path, 'go'), '');
  const second = install(dir.path);
  assert.equal(await second.ended, 0);
  assert.equal(await readFile(join(dir.path, 'thing-1.0', 'whole'), 'utf8'), String(second.child.pid));
  assert.deepEqual(
    (await readdir(dir.path)).filter(name => name.includes('.tmp-')),
    [],
  );
});

test('a failed install leaves no files, and the next one starts from an empty folder', async () => {
  await using dir = await tempDir();
  const options = { root: dir.path, name: 'thing', log: () => {} };
  const failing = installOnce({ ...options, fill: () => Promise.reject(new Error('no network')) });
  await assert.rejects(failing, /no network/);
  assert.deepEqual(await readdir(dir.path), ['thing.lock']);
  const place = await installOnce({ ...options, fill: into => writeFile(join(into, 'it'), 'x') });
  assert.equal(await readFile(join(place, 'it'), 'utf8'), 'x');
});

test('names the holder of a busy lock, and takes the lock after its release', async () => {
  await using dir = await tempDir();
  const file = join(dir.path, 'lock');
  const held = await holdLock(file, { waitMs: 0 });
  await assert.rejects(holdLock(file, { waitMs: 0 }), (error: LockBusyError) => {
    assert.ok(error instanceof LockBusyError);
    return error.holder === process.pid;
  });
  await held.release();
  await (await holdLock(file, { waitMs: 0 })).release();
});

async function holdElsewhere(t: TestContext, file: string) {
  const holder = spawn(process.execPath, [HOLD_LOCK, file], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  t.after(() => holder.kill('SIGKILL'));
  const named = async () => (await readFile(file, 'utf8').catch(() => '')) === `${holder.pid}\n` || undefined;
  await waitFor('the lock to be held', named, { timeoutMs: 20_000 });
  return holder;
}

const emptied = (file: string) =>
  waitFor('the file to be emptied', async () => (await readFile(file, 'utf8')) === '' || undefined, {
    timeoutMs: 20_000,
  });

test('a lock file names its holder until the release, also after Ctrl-C', async t => {
  await using dir = await tempDir();
  const file = join(dir.path, 'lock');
  const holder = await holdElsewhere(t, file);
  const interrupted = once(holder.stdout, 'data');
  // Sends the signal to every process of the group, as a terminal does.
  process.kill(-holder.pid!, 'SIGINT');
  await interrupted;
  await assert.rejects(async () => await (await holdLock(file, { waitMs: 0 })).release(), { holder: holder.pid });
  holder.stdin.end();
  await emptied(file);
});

test('the lock file of a killed process no longer names it', async t => {
  await using dir = await tempDir();
  const file = join(dir.path, 'lock');
  (await holdElsewhere(t, file)).kill('SIGKILL');
  await emptied(file);
});

test('the cache folder follows its variables', () => {
  assert.equal(cacheRoot({ RECORDING_REQUEST_CACHE: '/a' }), '/a');
  assert.equal(cacheRoot({ XDG_CACHE_HOME: '/b' }), '/b/recording-request');
  assert.match(cacheRoot({}), /\.cache\/recording-request$/);
  assert.equal(isAlive(process.pid), true);
});
