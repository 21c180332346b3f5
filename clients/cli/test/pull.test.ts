import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { clip, type FakeService, PROJECT_ID, startFakeService } from './fake-service.ts';
import { rr, startRr } from './rr.ts';

let service: FakeService;
let scratch: string;
beforeEach(async () => {
  service = await startFakeService();
  scratch = await mkdtemp(join(tmpdir(), 'recording-request-pull-'));
});
afterEach(async () => {
  await service[Symbol.asyncDispose]();
  await rm(scratch, { recursive: true, force: true });
});

const pull = async (...flags: string[]) => {
  const { code, stdout, stderr } = await rr(service.url, ['pull', PROJECT_ID, 'm', '--json', ...flags], scratch);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
};
const files = async (): Promise<string[]> => {
  const all = await readdir(join(scratch, 'm'), { recursive: true, withFileTypes: true });
  const own = all.filter(file => file.isFile() && !file.parentPath.includes('.rr'));
  return own.map(file => join(file.parentPath, file.name).slice(join(scratch, 'm').length + 1)).sort();
};
const VIDEO = / 00000000-0000-4000-8000-\d{12}\.webm$/;

test('a second pull fetches nothing, and another grouping moves the files', async () => {
  service.clips = [clip(1, 'A/1'), clip(2), clip(3, '..')];
  assert.deepEqual([(await pull('--by', 'reference')).changed, (await files()).length], [3, 13]);
  service.seen.length = 0;
  assert.deepEqual(await pull('--by', 'reference'), { clips: 3, changed: 0, removed: 0, bytes: 0 });
  assert.deepEqual(service.seen.length, 2, 'one project, one list');
  const grouped = await files();
  assert.deepEqual([...new Set(grouped.map(file => file.split('/').slice(0, -1).join('/')))].sort(), [
    '',
    'A 1',
    'no reference',
  ]);
  assert.equal((await pull()).bytes, 0);
  assert.ok((await files()).every(file => !file.includes('/')));
  assert.deepEqual(
    (await readdir(join(scratch, 'm'))).filter(name => name === 'A 1'),
    [],
  );
});

test('a reference that names a file of the mirror becomes another folder', async () => {
  const file = `2026-03-02 10-00-00 ${clip(5).submissionId}.webm`;
  const references = ['submissions.csv', 'SUBMISSIONS.CSV', 'ſubmi\u034fssions.csv', '.rr', file];
  service.clips = references.map((reference, i) => clip(i + 2, reference));
  await pull();
  assert.equal((await pull('--by', 'reference')).changed, 5);
  const folders = (await files()).map(path => path.split('/').slice(0, -1).join('/'));
  assert.deepEqual(
    [...new Set(folders)].sort(),
    ['', ...references.map(reference => (reference === '.rr' ? 'rr' : `_${reference}`))].sort(),
  );
  assert.ok((await files()).includes('submissions.csv'));
});

test('a pull that is killed before its record leaves nothing of an erased clip', async () => {
  service.clips = [clip(1), clip(2)];
  const pulling = startRr(service.url, ['pull', PROJECT_ID, 'm'], scratch);
  service.intercept = request => {
    // The video has its name by now, but the transcript is missing.
    if (!request.url!.includes('/transcript.')) return false;
    pulling.child.kill('SIGKILL');
    return true;
  };
  assert.equal((await pulling.done).code, null);
  assert.ok((await files()).some(file => VIDEO.test(file)));
  service.intercept = () => false;
  service.clips = [];
  await pull();
  assert.deepEqual(await files(), ['submissions.csv']);
});

test('the 404 of a proxy removes neither a clip nor a transcript', async () => {
  service.clips = [clip(1), clip(2)];
  await pull();
  const before = await files();
  for (const [pattern, body, type] of [
    [/\/submissions[/?]/, '{"error":"Not Found"}', 'application/json'],
    [/\/submissions[/?]/, '<h1>404</h1>', 'text/html'],
    [/\/transcript\./, '{"error":"Not Found"}', 'application/json'],
  ] as const) {
    service.clips[0]!.changedAt = new Date().toISOString();
    service.intercept = (request, response) => {
      if (!pattern.test(request.url!)) return false;
      if (request.url!.includes('/submissions?') && type === 'application/json') {
        response.writeHead(200, { 'content-type': type }).end('{"submissions":[],"pagination":{"nextCursor":null}}');
        return true;
      }
      response.writeHead(404, { 'content-type': type }).end(request.method === 'HEAD' ? undefined : body);
      return true;
    };
    const { code, stderr } = await rr(service.url, ['pull', PROJECT_ID, 'm'], scratch);
    assert.notEqual(code, 0, stderr);
    assert.deepEqual(await files(), before);
  }
});

test('a list that lacks a clip removes nothing; only its 404 does', async () => {
  service.clips = [clip(1), clip(2)];
  await pull();
  service.intercept = (request, response) => {
    if (!/\/submissions\?/.test(request.url!)) return false;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"submissions":[],"pagination":{"nextCursor":null}}');
    return true;
  };
  assert.equal((await pull()).removed, 0);
  assert.equal((await files()).filter(file => VIDEO.test(file)).length, 2);
});

test('a project that is not found keeps the folder; the proof of its erasure empties it', async () => {
  service.clips = [clip(1)];
  await pull();
  service.intercept = (request, response) => {
    if (request.url!.endsWith('/erasure')) return false;
    response.writeHead(404, { 'error-code': 'not_found' }).end('{"error":"There is no such project."}');
    return true;
  };
  const { code, stderr } = await rr(service.url, ['pull', PROJECT_ID, 'm'], scratch);
  assert.deepEqual([code, stderr.trim()], [4, 'rr: There is no such project. The folder stays as it is.']);
  assert.equal((await files()).length, 5);
  service.intercept = () => false;
  service.erased = true;
  assert.equal((await pull()).removed, 1);
  assert.deepEqual(await files(), []);
});

test('a torn record is ignored, and a damaged or missing file is fetched again', async () => {
  service.clips = [clip(1), clip(2)];
  await pull();
  const [video, other] = (await files()).filter(file => VIDEO.test(file));
  await writeFile(join(scratch, 'm', video!), 'damaged');
  await rm(join(scratch, 'm', other!));
  const journal = join(scratch, 'm/.rr/journal.jsonl');
  await writeFile(journal, `${await readFile(journal, 'utf8')}{"submissionId":"0`);
  assert.equal((await pull()).changed, 2);
  assert.deepEqual(await readFile(join(scratch, 'm', video!)), service.clips[0]!.bytes);
  assert.deepEqual(await readFile(join(scratch, 'm', other!)), service.clips[1]!.bytes);
});

test('the lock of a killed pull is taken over', async () => {
  service.clips = [clip(1)];
  const pulling = startRr(service.url, ['pull', PROJECT_ID, 'm'], scratch);
  service.intercept = request => /\/video$/.test(request.url!) && pulling.child.kill('SIGKILL');
  await pulling.done;
  assert.ok((await readdir(join(scratch, 'm/.rr'))).includes('lock'));
  service.intercept = () => false;
  assert.equal((await pull()).clips, 1);
});
