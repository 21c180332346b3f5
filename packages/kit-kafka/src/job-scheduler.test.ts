import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createJobScheduler, type Job } from './job-scheduler.ts';

const turn = () => new Promise(setImmediate);

/** Jobs that end on demand, with lists of the started and the finished jobs. */
function jobs(concurrency: number) {
  const begun: string[] = [];
  const done: string[] = [];
  const ends = new Map<string, (againMs?: number) => void>();
  const names = new Map<Job, string>();
  const scheduler = createJobScheduler(concurrency, job => done.push(names.get(job)!));
  let place = 0n;
  return {
    ...{ begun, done, scheduler },
    /** A job's name is its lane, its key and its number, such as `0a1`. */
    add(name: string, at = place++) {
      const job: Job = {
        lane: Number(name[0]),
        key: name[1]!,
        place: at,
        run() {
          begun.push(name);
          return new Promise(resolve => ends.set(name, resolve));
        },
      };
      names.set(job, name);
      scheduler.add(job);
    },
    async end(name: string, againMs?: number) {
      ends.get(name)!(againMs);
      await turn();
    },
  };
}

test('jobs of one key run one after the other, others in parallel up to the limit', async () => {
  const { add, end, begun, done } = jobs(2);
  for (const name of ['0a1', '0a2', '0b1', '0c1']) add(name);
  assert.deepEqual(begun, ['0a1', '0b1']);
  await end('0b1');
  assert.deepEqual(begun, ['0a1', '0b1', '0c1'], 'the second of a key waits for the first');
  await end('0a1');
  assert.deepEqual(begun.at(-1), '0a2');
  assert.deepEqual(done, ['0b1', '0a1']);
});

test('a busy lane does not block other lanes', async () => {
  const { add, end, begun } = jobs(1);
  for (const name of ['0a1', '0b1', '0c1', '1a1']) add(name);
  await end('0a1');
  await end(begun.at(-1)!);
  assert.ok(begun.includes('1a1'), `after two of four: ${begun}`);
});

test('a job that waits for its retry blocks only its own key', async t => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const { add, end, begun, done } = jobs(1);
  for (const name of ['0a1', '0a2', '0b1', '0c1']) add(name);
  await end('0a1', 1_000);
  await end('0b1');
  mock.timers.tick(1_000);
  assert.deepEqual(begun, ['0a1', '0b1', '0c1']);
  await end('0c1');
  assert.deepEqual(begun, ['0a1', '0b1', '0c1', '0a1'], 'after the jobs that had no turn yet');
  await end('0a1');
  assert.deepEqual([begun.at(-1), done], ['0a2', ['0b1', '0c1', '0a1']]);
});

test('a dropped lane finishes only its running job, which does not start a second time', async () => {
  const { add, end, begun, done, scheduler } = jobs(2);
  add('0a1', 10n);
  add('0a2', 11n);
  add('0b1', 12n);
  add('0c1', 13n);
  scheduler.drop(0);
  await end('0b1');
  assert.deepEqual(begun, ['0a1', '0b1']);
  add('0a1', 10n);
  add('0a2', 11n);
  assert.deepEqual(begun, ['0a1', '0b1'], 'the lane is back while its job still runs');
  await end('0a1');
  assert.deepEqual(begun, ['0a1', '0b1', '0a2'], 'the next job of the key starts');
  assert.deepEqual(done, ['0b1', '0a1']);
});

test('a job that fails after its lane was dropped does not run again', async t => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const { add, end, begun, scheduler } = jobs(1);
  add('0a1');
  scheduler.drop(0);
  await end('0a1', 0);
  mock.timers.tick(60_000);
  assert.deepEqual(begun, ['0a1']);
});

test('a closed scheduler starts no job, and is idle once the running jobs have ended', async t => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const { add, end, begun, scheduler } = jobs(2);
  for (const name of ['0a1', '0b1', '0c1']) add(name);
  await end('0a1', 5);
  scheduler.close();
  let idle = false;
  void scheduler.idle().then(() => {
    idle = true;
  });
  mock.timers.tick(10);
  await turn();
  assert.deepEqual([begun.length, idle], [3, false]);
  await end('0b1');
  await end('0c1');
  assert.deepEqual([begun.length, idle], [3, true]);
});
