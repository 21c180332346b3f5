import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf, textOfFile, withoutLines } from './csv-rows.ts';

const FILE = 'name;email\r\n"Ada; ""Countess""\r\nof Lovelace";ada@example.org\r\n\r\nBob "B";bob\nCem;c@example.org';

test('a row begins on the line that the server names, even after cells with line breaks and quotes', () => {
  assert.deepEqual(
    rowsOf(FILE).map(({ line, text }) => [line, text.slice(0, 5)]),
    [
      [1, 'name;'],
      [2, '"Ada;'],
      [4, '\r\n'],
      [5, 'Bob "'],
      [6, 'Cem;c'],
    ],
  );
  assert.deepEqual(
    rowsOf('"sep=,"\rname\rAda').map(({ line }) => line),
    [1, 2, 3],
  );
  // A quote after another separator is text.
  assert.deepEqual(
    rowsOf('name,email\nAda;"x,a\nBob,b"\n').map(({ line }) => line),
    [1, 2, 3],
  );
  assert.deepEqual(rowsOf(''), []);
});

test('a file without some rows keeps the others unchanged', () => {
  const rows = rowsOf(FILE);
  assert.equal(withoutLines(rows, new Set()), FILE);
  assert.equal(
    withoutLines(rows, new Set([5])),
    'name;email\r\n"Ada; ""Countess""\r\nof Lovelace";ada@example.org\r\n\r\nCem;c@example.org',
  );
});

test('a file is read as UTF-8 or as UTF-16 with a mark', () => {
  assert.equal(textOfFile(new Uint8Array(Buffer.from('\ufeffÄda'))), 'Äda');
  assert.equal(textOfFile(new Uint8Array(Buffer.from('\ufeffÄda', 'utf16le'))), 'Äda');
  assert.equal(textOfFile(Uint8Array.of(0xc3)), undefined);
});
