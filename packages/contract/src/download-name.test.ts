import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clipParts, downloadName } from './download-name.ts';

const bytes = (text: string) => Buffer.byteLength(text);
const NAMES: [parts: string[], last: string, name: string][] = [
  [['Customer stories'], 'project.zip', 'Customer stories - project.zip'],
  [['Customer stories', 'Link 3', ''], 'video.webm', 'Customer stories - Link 3 - video.webm'],
  [['Grüße', 'Question 1 Why?'], 'video.mp4', 'Grüße - Question 1 Why - video.mp4'],
  [['a/b\\c:d*e?f"g<h>i|j%k'], 'x.zip', 'a b c d e f g h i j k - x.zip'],
  [['..\\..\\etc/passwd'], 'x.zip', 'etc passwd - x.zip'],
  [['line\r\nbreak\t\0\u0085end'], 'x.zip', 'line break end - x.zip'],
  [['evil\u202Egpj.exe\u2066\u200B'], 'x.zip', 'evilgpj.exe - x.zip'],
  [['-rf', '~', '. .'], 'x.zip', 'rf - x.zip'],
  [['ends with dots... '], 'x.zip', 'ends with dots - x.zip'],
  [['CON'], 'x.zip', 'CON - x.zip'],
  [['con.tents'], 'x.zip', '_con.tents - x.zip'],
  [['COM¹ .x'], 'x.zip', '_COM¹ .x - x.zip'],
  [['console.log'], 'x.zip', 'console.log - x.zip'],
  [['\ud800lone'], 'x.zip', 'lone - x.zip'],
  [['', ' ', '\u200b'], 'project.zip', 'project.zip'],
  [['e\u0301té'], 'x.zip', '\u00e9té - x.zip'],
];
for (const [parts, last, name] of NAMES) {
  test(`the download of ${JSON.stringify(parts)}`, () => assert.equal(downloadName(parts, last), name));
}

test('a name has at most 150 bytes, keeps its extension and splits no character', () => {
  const long = ['x'.repeat(400), '👨‍👩‍👧‍👦'.repeat(50), '漢'.repeat(200), 'e\u0301'.repeat(300), 'a. '.repeat(100)];
  for (const first of long) {
    for (const second of [...long, 'short']) {
      const name = downloadName([first, 'Link 10000', `Question 50 ${second}`], 'thumbnail-middle.jpg');
      assert.ok(bytes(name) <= 150, `${bytes(name)} bytes`);
      assert.match(name, / - Link 10000 - Question 50\b.* - thumbnail-middle\.jpg$/u);
      assert.doesNotMatch(name, /\ufffd|[\s.]+ - /u);
      assert.doesNotMatch(name.replaceAll('👨‍👩‍👧‍👦', ''), /👨|👩|👧|👦|\u200d/u);
    }
  }
});

test('a clip name has the number of its link, or the time for a shared link, and its question', () => {
  const createdAt = new Date('2026-03-02T10:14:40.123Z');
  const plain = { createdAt, questionIndex: undefined, questionText: undefined };
  assert.deepEqual(clipParts({ ...plain, link: { position: 3 } }), ['Link 3', '']);
  assert.deepEqual(clipParts({ ...plain, link: { position: 0 } }), ['2026-03-02 10.14.40', '']);
  assert.deepEqual(clipParts({ createdAt, link: { position: 3 }, questionIndex: 1, questionText: 'Why?' }), [
    'Link 3',
    'Question 2 Why?',
  ]);
});
