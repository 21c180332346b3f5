import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allPairs } from './pairwise.ts';

const BASE = { size: 'small', colour: 'red', shape: 'round', edge: 'thin' };
const PROPERTIES = {
  size: ['small', 'middle', 'large'],
  colour: ['red', 'green', 'blue', 'grey'],
  shape: ['round', 'square'],
  edge: ['thin', 'thick'],
};
/** Excludes large with thin, and grey with round. */
const isPossible = ({ size, colour, shape, edge }: typeof BASE) =>
  !(size === 'large' && edge === 'thin') && !(colour === 'grey' && shape === 'round');

test('possible combinations cover every possible pair, and are fewer than all combinations', () => {
  const found = allPairs(BASE, PROPERTIES, isPossible);
  assert.ok(found.every(isPossible));
  assert.ok(found.length < 20, `${found.length} combinations`);
  const names = Object.keys(PROPERTIES) as Array<keyof typeof BASE>;
  const forbidden = [['large', 'thin'].join(), ['grey', 'round'].join()];
  for (const [at, one] of names.entries())
    for (const other of names.slice(at + 1))
      for (const a of PROPERTIES[one])
        for (const b of PROPERTIES[other])
          assert.equal(
            found.some(each => each[one] === a && each[other] === b),
            !forbidden.includes([a, b].join()),
            `${a} and ${b}`,
          );
});
