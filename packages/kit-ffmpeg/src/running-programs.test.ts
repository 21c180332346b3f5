import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, type TestContext, test } from 'node:test';
import { startMeasured } from '@recording-request/testing/measured';
import { until } from '@recording-request/testing/wait';
import type { RunningProgram } from './run-program.ts';
import type { Sandbox } from './sandbox.ts';

const measured = startMeasured();
after(() => measured[Symbol.asyncDispose]());
const { runProgram } = await import('./run-program.ts');
const { reportPrograms } = await import('./running-programs.ts');

const BURN = 'while :; do :; done';

/** Runs a script in place of the program, without limits. Returns its process id too. */
async function run(script: string): Promise<RunningProgram & { pid: number }> {
  const commandOf = () => ({ command: 'sh', args: ['-c', `echo $$; ${script}`] });
  const sandbox = { commandOf, cpuSeconds: { ffprobe: 60 } } as unknown as Sandbox;
  const options = { signal: AbortSignal.timeout(60_000), sandbox };
  const running = runProgram('ffprobe', [], options, { span: 'ffprobe', purpose: 'frame' });
  const [line] = await once(running.stdout, 'data');
  return Object.assign(running, { pid: Number.parseInt(String(line), 10) });
}

type Figure = 'ffmpeg.run.time' | 'ffmpeg.cpu.time' | 'program.age' | 'program.stalled';

async function figure(name: Figure, program = 'ffprobe'): Promise<number> {
  const series = await measured.seriesOf(`recording.${name}`);
  return series.find(({ attributes }) => attributes['process.executable.name'] === program)!.value;
}

async function end(running: RunningProgram): Promise<void> {
  const closed = once(running.stdout, 'close');
  running[Symbol.dispose]();
  running.stdout.resume();
  await closed;
  await until('the run has ended', async () => (await figure('program.age')) === 0);
}

/** Moves the clock of this process forward. */
function clock(t: TestContext) {
  const now = performance.now.bind(performance);
  let aheadMs = 0;
  t.mock.method(performance, 'now', () => now() + aheadMs);
  /** Acts as if this process had been suspended. */
  const jump = (seconds: number) => {
    aheadMs += seconds * 1_000;
  };
  return {
    jump,
    /** Acts as if time passed while this process takes its samples. */
    async pass(seconds: number) {
      for (let passed = 0; passed < seconds; passed += 2) {
        jump(2);
        await figure('program.stalled');
      }
    },
  };
}

test('a program that has not run is reported as zero', async () => {
  reportPrograms(['ffmpeg']);
  for (const name of ['ffmpeg.run.time', 'ffmpeg.cpu.time', 'program.age', 'program.stalled'] as const)
    assert.equal(await figure(name, 'ffmpeg'), 0, name);
});

test('the counters grow while a program runs, and never go down', async () => {
  let [cpu, time] = [0, 0];
  const grow = async (byCpu: number) => {
    const least = cpu + byCpu;
    await until(`${least} CPU seconds`, async () => {
      const [cpuNow, timeNow] = [await figure('ffmpeg.cpu.time'), await figure('ffmpeg.run.time')];
      assert.ok(cpuNow >= cpu && timeNow >= time, `${cpuNow} after ${cpu}, ${timeNow} after ${time}`);
      [cpu, time] = [cpuNow, timeNow];
      return cpu >= least;
    });
  };
  const running = await Promise.all([run(BURN), run(BURN), run(BURN)]);
  await grow(0.5);
  assert.ok(time >= cpu / 3);
  assert.ok((await figure('program.stalled')) < 1);
  await Promise.all(running.map(end));
  await grow(0);
  using _ = await run(BURN);
  await grow(0.3);
});

test('a halted program has stalled, until it continues', async t => {
  const { pass } = clock(t);
  using running = await run(BURN);
  await pass(10);
  assert.ok((await figure('program.age')) >= 10);
  const works = () => until('it works', async () => (await figure('program.stalled')) < 1);
  await works();
  process.kill(running.pid, 'SIGSTOP');
  await pass(20);
  const stalled = await figure('program.stalled');
  assert.ok(stalled >= 16 && stalled < 30, `${stalled} s`);
  process.kill(running.pid, 'SIGCONT');
  await works();
  assert.ok((await figure('program.age')) >= 30);
  await end(running);
  assert.equal(await figure('program.stalled'), 0);
});

test('a program that waits until its output is read has not stalled', async t => {
  const { pass } = clock(t);
  using running = await run('exec yes');
  running.stdout.pause();
  await until('its output waits', () => running.stdout.readableLength > 0);
  await pass(20);
  assert.equal(await figure('program.stalled'), 0);
  await end(running);
});

test('the time for which this process is suspended does not count', async t => {
  const { jump, pass } = clock(t);
  using running = await run('exec tail -f /dev/null');
  await pass(2);
  const before = await figure('ffmpeg.run.time');
  jump(600);
  for (const name of ['program.stalled', 'program.age'] as const) assert.ok((await figure(name)) < 10, name);
  assert.ok((await figure('ffmpeg.run.time')) - before < 10);
  await end(running);
});
