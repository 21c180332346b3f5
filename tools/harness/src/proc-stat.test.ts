import assert from 'node:assert/strict';
import { test } from 'node:test';
import { descendants, parseMachine, parseProcess, startOf, ticksOf } from './proc-stat.ts';

const stat = (pid: number, parent: number, times: [number, number, number, number], name = 'node') =>
  parseProcess(`${pid} (${name}) S ${parent} 1 1 0 -1 4194560 10 0 0 0 ${times.join(' ')} 20 0 11 0 5000 100 200 0\n`);

test('the time of a process includes the children that it waited for', () => {
  assert.deepEqual(stat(7, 1, [100, 20, 30, 4]), { pid: 7, parent: 1, ticks: 154 });
});

test('returns the start of a process in ticks after the machine’s start', () => {
  assert.equal(startOf('7 (a) R 9 (b)) S 3 1 1 0 -1 4194560 10 0 0 0 1 1 1 1 20 0 11 0 5000 100 200 0\n'), 5_000);
});

test('a command may have parentheses and spaces in its name', () => {
  assert.equal(stat(7, 3, [1, 1, 1, 1], 'a) R 9 (b').parent, 3);
});

test('the time of a tree is that of its roots and their descendants', () => {
  const processes = [stat(2, 1, [1, 0, 0, 0]), stat(3, 2, [10, 0, 0, 0]), stat(4, 3, [100, 0, 0, 0])];
  processes.push(stat(5, 1, [1000, 0, 0, 0]));
  assert.equal(ticksOf(processes, [2]), 111);
  assert.equal(ticksOf(processes, [3, 4]), 110);
  assert.deepEqual(descendants(processes, [3]), new Set([3, 4]));
});

test('idle time, separate interrupt time and stolen time belong to no process', () => {
  const line = (...fields: number[]) => `cpu  ${fields.join(' ')}\ncpu0 1 2 3\n`;
  const apart = parseMachine(line(100, 10, 20, 500, 5, 3, 4, 6, 50, 5));
  assert.deepEqual(apart, { all: 648, busy: 130, stolen: 6 });
  assert.equal(parseMachine(line(100, 10, 20, 500, 5, 0, 4, 6, 0, 0)).busy, 134);
});
