import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { clip, type FakeService, PROJECT_ID, startFakeService } from './fake-service.ts';
import { rr } from './rr.ts';

let service: FakeService;
let scratch: string;
beforeEach(async () => {
  service = await startFakeService();
  scratch = await mkdtemp(join(tmpdir(), 'recording-request-guard-'));
  await mkdir(join(scratch, 'outside'));
  await writeFile(join(scratch, 'outside/own.txt'), 'mine');
});
afterEach(async () => {
  await service[Symbol.asyncDispose]();
  await rm(scratch, { recursive: true, force: true });
});

const pull = (...flags: string[]) => rr(service.url, ['pull', PROJECT_ID, 'a/b/m', ...flags], scratch);
const folder = () => join(scratch, 'a/b/m');
const journal = () => join(folder(), '.rr/journal.jsonl');
const files = async (path: string) =>
  (await readdir(path, { recursive: true, withFileTypes: true }))
    .filter(file => !file.isDirectory())
    .map(file => join(file.parentPath, file.name).slice(path.length + 1))
    .filter(name => !name.startsWith('.rr'))
    .sort();

for (const [field, value] of [
  ['submissionId', '../../evil'],
  ['createdAt', '../../../evil/.vim'],
  ['changedAt', 5],
  ['questionIndex', '/../../evil'],
  ['questionText', { a: 1 }],
] as const)
  test(`a clip with an invalid ${field} writes nothing`, async () => {
    service.clips = [{ ...clip(1), fields: { [field]: value } }];
    const { code, stderr } = await pull('--by', field === 'createdAt' ? 'date' : 'question');
    assert.equal(code, 6, stderr);
    assert.match(stderr, new RegExp(`^rr: The server sent a clip with an invalid ${field}, .* ask the operator\\.\n$`));
    assert.deepEqual(
      [await files(folder()), await files(scratch).then(all => all.filter(name => name.includes('evil')))],
      [[], []],
    );
  });

test('a server gives a clip no extension that another program runs', async () => {
  service.clips = [
    { ...clip(1), fileName: 'x.vim' },
    { ...clip(2), fileName: 'x.txt' },
    { ...clip(3), fileName: 'x.MOV' },
  ];
  assert.equal((await pull()).code, 0);
  const videos = (await files(folder())).filter(name => /\.(?!txt|vtt|srt|csv)/.test(name.slice(-6)));
  assert.deepEqual(
    videos.map(name => name.slice(-6)),
    ['1.webm', '2.webm', '03.mov'],
  );
});

test('pull writes through no symbolic link out of the folder', async () => {
  service.clips = [clip(1, 'alice')];
  await mkdir(folder(), { recursive: true });
  const refused = async (path: string) => {
    const { code, stderr } = await pull('--by', 'reference');
    assert.equal(code, 7, stderr);
    assert.ok(
      stderr.startsWith(`rr: ${join(folder(), path)} is a symbolic link`) && stderr.endsWith('Remove the link.\n'),
      stderr,
    );
    assert.deepEqual(await readdir(join(scratch, 'outside')), ['own.txt']);
    assert.equal(await readFile(join(scratch, 'outside/own.txt'), 'utf8'), 'mine');
    await rm(join(folder(), path));
  };
  await symlink(join(scratch, 'outside'), join(folder(), 'alice'));
  await refused('alice');
  await symlink(join(scratch, 'missing'), join(folder(), 'alice'));
  await refused('alice');
  await rm(join(folder(), '.rr'), { recursive: true });
  await symlink(join(scratch, 'outside'), join(folder(), '.rr'));
  await refused('.rr');
  const part = `.rr/parts/${clip(1).submissionId}.video.part`;
  await mkdir(join(folder(), '.rr/parts'), { recursive: true });
  await symlink(join(scratch, 'outside/own.txt'), join(folder(), part));
  await refused(part);
  await mkdir(join(folder(), 'other'));
  await symlink(join(folder(), 'other'), join(folder(), 'alice'));
  assert.equal((await pull('--by', 'reference')).code, 0, 'a link within the folder is followed');
});

test('a record of a foreign file is ignored, and removes nothing', async () => {
  service.clips = [clip(1)];
  await pull();
  const text = await readFile(journal(), 'utf8');
  await writeFile(join(folder(), 'own.txt'), 'mine');
  const submissionId = clip(9).submissionId;
  const file = { size: 4, mtimeMs: 1, sha256: '0'.repeat(64) };
  const entry = { submissionId, changedAt: '', files: {} };
  const up = `../../../outside/${submissionId}.webm`;
  await writeFile(join(scratch, `outside/${submissionId}.webm`), 'mine');
  const lines = [
    { ...entry, files: { video: { ...file, path: '../../../outside/own.txt' } } },
    { ...entry, files: { video: { ...file, path: up } } },
    { ...entry, files: { video: { ...file, path: `../${submissionId}.webm` } } },
    { ...entry, pending: ['own.txt'] },
    { ...entry, pending: [up] },
    { ...entry, pending: [join(scratch, 'outside/own.txt')] },
    { ...entry, pending: [5] },
    { ...entry, files: null },
    { table: true, ...entry, files: null },
    { ...entry, submissionId: '../..' },
    null,
    7,
  ];
  await writeFile(journal(), `${text}${lines.map(line => `${JSON.stringify(line)}\n`).join('')}`);
  const { code, stdout, stderr } = await pull();
  assert.equal(code, 0, stderr);
  assert.match(stdout, /m has 1 clip: nothing changed\.\n$/);
  assert.match(stderr, /^Ignored 11 damaged records of .*\n$/);
  assert.deepEqual(await files(join(scratch, 'outside')), [`${submissionId}.webm`, 'own.txt']);
  assert.ok((await files(folder())).includes('own.txt'));
  assert.equal((await pull()).stderr, '', 'the damaged records are gone');
});

test('records without their project remove nothing', async () => {
  service.clips = [clip(1)];
  await pull();
  const before = await files(folder());
  await writeFile(journal(), (await readFile(journal(), 'utf8')).replace('"version":1', '"version":0'));
  service.clips = [];
  const { code, stderr } = await pull();
  assert.deepEqual([code, /^Ignored \d damaged records/.test(stderr)], [0, true], stderr);
  assert.deepEqual(await files(folder()), before);
});

test('a record without files hides no missing file', async () => {
  service.clips = [clip(1)];
  await pull();
  const { submissionId, changedAt } = clip(1);
  const [text, before] = [await readFile(journal(), 'utf8'), await files(folder())];
  const video = before.find(name => name.endsWith('.webm'))!;
  await rm(join(folder(), video));
  await writeFile(journal(), `${text}${JSON.stringify({ submissionId, changedAt, files: {} })}\n`);
  await pull();
  assert.deepEqual(await readFile(join(folder(), video)), clip(1).bytes);
  const kept = (await readFile(journal(), 'utf8'))
    .split('\n')
    .map(line => line.replace(/,"(?:txt|vtt|srt)":\{[^}]*\}/g, ''));
  for (const name of before.filter(each => /\.(?:txt|vtt|srt)$/.test(each))) await rm(join(folder(), name));
  await writeFile(journal(), kept.join('\n'));
  await pull('--verify');
  assert.deepEqual(await files(folder()), before);
});

test('a lock of other contents has a sentence', async () => {
  for (const text of ['null', '[]', '{"host":5,"pid":"x"}']) {
    await mkdir(join(folder(), '.rr'), { recursive: true });
    await writeFile(join(folder(), '.rr/lock'), text);
    const { code, stderr } = await pull();
    assert.deepEqual([code, /^rr: Another rr uses .* remove .*lock\.\n$/.test(stderr)], [7, true], stderr);
  }
});
