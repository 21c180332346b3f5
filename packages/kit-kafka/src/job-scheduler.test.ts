import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createJobScheduler, type Job } from './job-scheduler.ts';

const turn = () => new Promise(setImmediate);

/** Jobs that end when they are told to, and what became of them. */
function jobs(concurrency: number) {
  const begun: string[] = [];
  const done: string[] = [];
  const ends = new Map<string, (againMs?: number) => void>();
  const names = new Map<Job, string>();
  const scheduler = createJobScheduler(concurrency, job => done.push(names.get(job)!));
  let place = 0n;
  return {
    ...{ begun, done, scheduler },
    /** A job is called by its lane, its key and its number, such as `0a1`. */
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

test('jobs of a key run one after the other, others beside them up to the limit', async () => {
  const { add, end, begun, done } = jobs(2);
  for (const name of ['0a1', '0a2', '0b1', '0c1']) add(name);
  assert.deepEqual(begun, ['0a1', '0b1']);
  await end('0b1');
  assert.deepEqual(begun, ['0a1', '0b1', '0c1'], 'the second of a key waits for the first');
  await end('0a1');
  assert.deepEqual(begun.at(-1), '0a2');
  assert.deepEqual(done, ['0b1', '0a1']);
});

test('a lane with much to do does not keep others waiting', async () => {
  const { add, end, begun } = jobs(1);
  for (const name of ['0a1', '0b1', '0c1', '1a1']) add(name);
  await end('0a1');
  await end(begun.at(-1)!);
  assert.ok(begun.includes('1a1'), `after two of four: ${begun}`);
});

test('a job that is to run again waits outside, and holds up its key alone', async t => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const { add, end, begun, done } = jobs(1);
  for (const name of ['0a1', '0a2', '0b1', '0c1']) add(name);
  await end('0a1', 1_000);
  await end('0b1');
  mock.timers.tick(1_000);
  assert.deepEqual(begun, ['0a1', '0b1', '0c1']);
  await end('0c1');
  assert.deepEqual(begun, ['0a1', '0b1', '0c1', '0a1'], 'behind what did not have its turn yet');
  await end('0a1');
  assert.deepEqual([begun.at(-1), done], ['0a2', ['0b1', '0c1', '0a1']]);
});

test('of a lane that is dropped only what runs goes on, and it is not begun a second time', async () => {
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
  assert.deepEqual(begun, ['0a1', '0b1'], 'the lane is back with a job that still runs');
  await end('0a1');
  assert.deepEqual(begun, ['0a1', '0b1', '0a2'], 'its key goes on');
  assert.deepEqual(done, ['0b1', '0a1']);
});

test('a job that fails after its lane was dropped is not run again', async t => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const { add, end, begun, scheduler } = jobs(1);
  add('0a1');
  scheduler.drop(0);
  await end('0a1', 0);
  mock.timers.tick(60_000);
  assert.deepEqual(begun, ['0a1']);
});

test('once closed it begins nothing, and is idle when what runs has ended', async t => {
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
