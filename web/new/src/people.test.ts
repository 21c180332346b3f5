import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPeople } from './people.ts';

test('reads a list of names and email addresses without a header', () => {
  const { people, lines, problem } = readPeople(
    'Ada Lovelace\n\nGrace, grace@example.org\nAlan <alan@example.org>\nx@example.org\n',
  );
  assert.equal(problem, '');
  assert.deepEqual(people, [
    { name: 'Ada Lovelace' },
    { name: 'Grace', email: 'grace@example.org' },
    { name: 'Alan', email: 'alan@example.org' },
    { email: 'x@example.org' },
  ]);
  assert.deepEqual(lines, [1, 3, 4, 5]);
});

test('reads a table with a header, with tabs, semicolons or commas', () => {
  for (const separator of ['\t', ';', ',']) {
    const table = [
      ['Name', 'EMAIL', 'dueat', 'meta.team'],
      ['Ada', 'ada@example.org', '2030-01-02T03:04:05Z', 'one'],
      ['', 'b@example.org', '', ''],
    ];
    const { people, lines } = readPeople(`\ufeff${table.map(row => row.join(separator)).join('\r\n')}`);
    assert.deepEqual(people, [
      { name: 'Ada', email: 'ada@example.org', dueAt: '2030-01-02T03:04:05Z', metadata: { team: 'one' } },
      { email: 'b@example.org' },
    ]);
    assert.deepEqual(lines, [2, 3]);
  }
});

test('names the problem of a table that cannot be read, without a cell of it', () => {
  assert.match(readPeople('name,telephone\nAda,1').problem, /^The header has a column that is not known/);
  assert.match(readPeople('name\n"Ada').problem, /^Line 2: a cell has no closing quote/);
  assert.equal(readPeople('').problem, '');
});

test('refuses more people than a project takes', () => {
  const { people, problem } = readPeople('x\n'.repeat(10_001));
  assert.equal(people.length, 10_000);
  assert.match(problem, /10,000 people at most/);
});
