import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { startMeasured } from '@recording-request/testing/measured';
import { until } from '@recording-request/testing/wait';
import type { RunningProgram } from './run-program.ts';
import type { Sandbox } from './sandbox.ts';

const measured = startMeasured();
after(() => measured[Symbol.asyncDispose]());
const { CpuTimeError, runProgram } = await import('./run-program.ts');

/** Runs a script in place of the program, without limits. */
function run(script: string, { signal = AbortSignal.timeout(30_000), cpuSeconds = 60 } = {}): RunningProgram {
  const commandOf = () => ({ command: 'sh', args: ['-c', script] });
  const sandbox = { commandOf, cpuSeconds: { ffprobe: cpuSeconds } } as unknown as Sandbox;
  return runProgram('ffprobe', [], { signal, sandbox }, { span: 'ffprobe', purpose: 'frame' });
}

async function outcomes(): Promise<Record<string, number>> {
  const series = await measured.seriesOf('recording.ffmpeg.duration');
  return Object.fromEntries(series.map(({ attributes, value }) => [String(attributes['recording.outcome']), value]));
}

test('a run is ok, has failed, or was killed', async t => {
  await t.test('a program that is killed because its reader stops has not failed', async () => {
    {
      using running = run('echo a picture; exec tail -f /dev/null');
      await once(running.stdout, 'data');
    }
    await until('the run has ended', async () => (await outcomes()).ok === 1);
  });
  await t.test('one that exits with a status has failed', async () => {
    assert.equal(await run('exit 3').end(), 3);
    assert.deepEqual(await outcomes(), { ok: 1, failed: 1 });
  });
  await t.test('one that this service kills has failed', async () => {
    const abort = new AbortController();
    const running = run('echo ready; exec tail -f /dev/null', { signal: abort.signal });
    await once(running.stdout, 'data');
    abort.abort(new Error('out of time'));
    await assert.rejects(running.end(), /out of time/);
    assert.deepEqual(await outcomes(), { ok: 1, failed: 2 });
  });
  await t.test('one that used up its CPU time has failed', async () => {
    await assert.rejects(run('kill -KILL $$', { cpuSeconds: 0 }).end(), error => error instanceof CpuTimeError);
    assert.deepEqual(await outcomes(), { ok: 1, failed: 3 });
  });
  await t.test('one that ends itself by a signal has failed', async () => {
    assert.equal(await run('kill -SEGV $$').end(), null);
    assert.deepEqual(await outcomes(), { ok: 1, failed: 4 });
  });
  await t.test('one that another process kills was killed', async () => {
    for (const signal of ['KILL', 'TERM'])
      await assert.rejects(run(`kill -${signal} $$`).end(), new RegExp(`was ended by SIG${signal}`));
    assert.deepEqual(await outcomes(), { ok: 1, failed: 4, killed: 2 });
  });
});
