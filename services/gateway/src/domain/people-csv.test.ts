import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainError } from '@recording-request/kit/errors';
import { readPeople, textOfFile, withErrors } from './people-csv.ts';

const pause = async () => {};
const read = (text: string) => readPeople(text, pause);
const peopleOf = async (text: string) => (await read(text)).rows.map(({ person }) => person);
const ANA = { name: 'Ana', reference: 'P-1' };

/** Returns the sentence that refuses a file. */
async function refusal(text: string): Promise<string> {
  const error = await read(text).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof DomainError && error.code === 'invalid', `accepted: ${text.slice(0, 60)}`);
  return error.message;
}

test('a file may use any separator and line break, and cells may have quotes, breaks and every script', async () => {
  for (const separator of [',', ';', '\t']) {
    for (const end of ['\n', '\r\n', '\r']) {
      const lines = [
        ['Name', ' reference ', 'META.Team'],
        ['Ana', 'P-1', ''],
        ['عمر', 'P-2', '销售'],
      ];
      const text = lines.map(cells => cells.join(separator)).join(end);
      assert.deepEqual(await peopleOf(text), [ANA, { name: 'عمر', reference: 'P-2', metadata: { Team: '销售' } }]);
      assert.deepEqual(await peopleOf(text + end), await peopleOf(text), 'with a break at the end');
    }
  }
  const quoted = 'name,meta.note\r\n"O""Neil, Ana","one\r\ntwo"\r\n5" disk,"a;b"';
  assert.deepEqual(await peopleOf(quoted), [
    { name: 'O"Neil, Ana', metadata: { note: 'one\r\ntwo' } },
    { name: '5" disk', metadata: { note: 'a;b' } },
  ]);
  assert.deepEqual(await peopleOf('email\n=1+1@x.y'), [{ email: '=1+1@x.y' }], 'a formula is a text');
});

test('a first line may name the separator, as Excel reads it', async () => {
  const ben = { name: 'Ben', reference: 'a,b' };
  for (const first of ['sep=;', 'SEP=;', '"sep=;"', 'sep=;;;']) {
    for (const end of ['\n', '\r\n', '\r']) {
      const { rows } = await read([first, 'name;reference', 'Ana;P-1', 'Ben;a,b', ''].join(end));
      assert.deepEqual(
        rows.map(({ record, person }) => [record.line, person]),
        [
          [3, ANA],
          [4, ben],
        ],
        `${first} ${JSON.stringify(end)}`,
      );
    }
  }
  assert.deepEqual(await peopleOf('sep=,\nname,reference\nAna,P-1'), [ANA]);
  assert.deepEqual(await peopleOf('sep=\t\nname\treference\nAna\tP-1'), [ANA]);
  assert.deepEqual(await peopleOf('sep=;\nname\nAna, PhD'), [{ name: 'Ana, PhD' }], 'the named one, not the first');
  assert.match(await refusal('sep=;\n'), /^The file has no header/);
  assert.match(await refusal('sep=;'), /^The file has no header/);
  assert.match(
    await refusal('sep=|\nname|reference\nAna|P-1'),
    /^The first line names the separator "\|": use a comma,/,
  );
  assert.match(await refusal('sep=;\nname;colour\nAna;red'), /^"colour" is not a column/);
  assert.match(await refusal('sep=;\nname\n"Ana'), /^Line 3: a cell has no closing quote/);
});

test('a row is numbered by the line on which it begins; empty rows are left out', async () => {
  const { rows } = await read('name,reference,,\n\n"a\nb",1,,\n,,\n c ,2,,\n');
  assert.deepEqual(
    rows.map(({ record, person }) => [record.line, record.hasMore, person]),
    [
      [3, false, { name: 'a\nb', reference: '1' }],
      [6, false, { name: 'c', reference: '2' }],
    ],
  );
  const [{ record } = assert.fail()] = (await read('name\na,b')).rows;
  assert.equal(record.hasMore, true, 'a cell beyond the header');
});

test('a factor is a number, with a point or a comma; other text is left for the check of the row', async () => {
  const { rows } = await read('reference;TimeFactor\na;1.5\nb;1,25\nc;2\nd;\ne;double\nf;1e1\n');
  assert.deepEqual(
    rows.map(({ person }) => person.timeFactor),
    [1.5, 1.25, 2, undefined, 'double', '1e1'],
  );
});

test('a cell that is too long for every column never passes as a shorter one', async () => {
  const blanks = ' '.repeat(5_000);
  for (const cell of [`Ana${blanks}Ben`, `${blanks}Ana`, `"Ana${blanks}Ben"`, `"${blanks}""Ana"""`]) {
    const [{ person } = assert.fail('the row is left out')] = (await read(`name\n${cell}`)).rows;
    assert.equal(String(person.name).trim().length, 2_000);
  }
});

test('a file that cannot be read as a whole is refused with its reason', async () => {
  const many = Array.from({ length: 21 }, (_, index) => `meta.k${index}`).join();
  const REFUSED: [text: string, sentence: RegExp][] = [
    ['', /^The file is empty: /],
    [' \r\n', /^The file is empty: /],
    ['Ana,P-1\n', /^The file has no header: the first line must name the columns, such as name, reference,/],
    [
      'name,colour\nAna,red',
      /^"colour" is not a column that this file takes: use name, reference, email, locale, dueAt,/,
    ],
    ['name,meta.\nAna,x', /^"meta\." is not a column/],
    ['name,,email\nAna', /^Column 2 of the header has no name\./],
    ['name,NAME\nAna', /^The header names the column "name" twice\./],
    [`name,${many}\nAna`, /^The header has 21 columns that begin with meta\.: at most 20 may\./],
    [`name${',name'.repeat(60)}\nAna`, /^The header has too many columns/],
    ['name\n', /^The file has no row after its header\./],
    ['name\n"Ana', /^Line 2: a cell has no closing quote\./],
    ['name\nAna\n"Ben"x', /^Line 3: a cell goes on after its closing quote/],
    [`name\n${'x\n'.repeat(10_001)}`, /^The file has more than 10,000 rows: split it\./],
  ];
  for (const [text, sentence] of REFUSED) assert.match(await refusal(text), sentence);
  assert.equal((await read(`name\n${'x\n'.repeat(10_000)}`)).rows.length, 10_000);
});

test('a file of separators or quotes takes little time and memory', async () => {
  const bytes = 8 * 1024 ** 2;
  for (const text of [`name\n${','.repeat(bytes)}`, ','.repeat(bytes), `name${','.repeat(bytes)}`])
    assert.match(await refusal(text), /far more cells|no header/);
  assert.match(await refusal(`name\n${'"'.repeat(bytes - 1)}`), /no closing quote/);
  const [{ person } = assert.fail()] = (await read(`name\n"${'""'.repeat(bytes / 2)}"`)).rows;
  assert.ok(String(person.name).length <= 2_000, 'the rest of a long cell is not kept');
  assert.match(await refusal(`name\n${'\n'.repeat(bytes)}`), /too many empty lines/);
});

test('the text of a file in UTF-8 or UTF-16, with or without a mark', () => {
  const text = 'name\nعمر 李';
  const marked = `\ufeff${text}`;
  assert.deepEqual(textOfFile(Buffer.from(text)), { text, hasMark: false });
  assert.deepEqual(textOfFile(Buffer.from(text, 'utf16le'), 'UTF-16LE'), { text, hasMark: false });
  for (const bytes of [Buffer.from(marked), Buffer.from(marked, 'utf16le'), Buffer.from(marked, 'utf16le').swap16()])
    assert.deepEqual(textOfFile(bytes), { text, hasMark: true });
  assert.throws(() => textOfFile(Buffer.from('name\nJos\xe9', 'latin1')), /not valid UTF-8/);
  assert.throws(() => textOfFile(Buffer.from('x'), 'klingon'), /not valid UTF-8/);
});

test('the file comes back with an error for each row, which a repeated import ignores', async () => {
  const errors = async (text: string) => {
    const file = await read(text);
    return [...withErrors(file, row => (row.person.name === 'Ben' ? '"wrong"' : ''))].join('');
  };
  const text = 'name;reference\r\n"A;na";P-1\r\n\r\nBen\r\n';
  const marked = 'name;reference;error\r\n"A;na";P-1;\r\nBen;;"wrong"\r\n';
  assert.equal(await errors(text), marked);
  assert.equal(await errors(marked), marked);
  assert.deepEqual(await peopleOf(marked), await peopleOf(text));
  assert.equal(await errors(`sep=;\r\n${text}`), `sep=;\r\n${marked}`, 'with the line that names the separator');
  assert.equal(await errors(`sep=;\r\n${marked}`), `sep=;\r\n${marked}`);
  const empty = await errors('name,reference,,\nBen,1,,\nAna,,,\n');
  assert.equal(empty, 'name,reference,error\r\nBen,1,"wrong"\r\nAna,,\r\n', 'without the empty columns at the end');
  assert.equal(await errors('name,error\nBen,old,more'), 'name,error\r\nBen,old,more,"wrong"\r\n', 'no cell is lost');
});
