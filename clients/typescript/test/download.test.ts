import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  DownloadChangedError,
  DownloadError,
  IntegrityError,
  type OnRetry,
  RecordingRequest,
  UnexpectedAnswerError,
} from '@recording-request/client';
import { saveTo } from '@recording-request/client/files';
import { scriptedServer } from './scripted-server.ts';

const scratch = await mkdtemp(join(tmpdir(), 'recording-request-download-'));
after(() => rm(scratch, { recursive: true, force: true }));

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const FILE = randomBytes(300_000);
const OTHER = randomBytes(200_000);

interface Answer {
  bytes?: Buffer;
  /** Ends the connection after this many bytes of the answer. */
  cutAt?: number;
  etag?: string;
  /** Sends another byte in place of the one at this position of the file. */
  wrongAt?: number;
}

/** Serves media as the gateway does. */
const media =
  ({ bytes = FILE, cutAt, etag = `"${hashOf(bytes)}"`, wrongAt }: Answer = {}) =>
  ({ headers, method }: IncomingMessage, response: ServerResponse) => {
    const sent = Buffer.from(bytes);
    if (wrongAt !== undefined) sent[wrongAt]! ^= 1;
    const from = headers['if-range'] === etag ? Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0) : 0;
    const body = sent.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, {
      ...{ etag, 'accept-ranges': 'bytes', 'content-length': body.length, 'content-type': 'video/webm' },
      ...(from > 0 && { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
      'content-disposition': `attachment; filename="a_b.webm"; filename*=UTF-8''..%2Fa%20%C3%BC.webm`,
    });
    if (method === 'HEAD' || cutAt === undefined) return void response.end(method === 'HEAD' ? undefined : body);
    response.write(body.subarray(0, cutAt), () => response.socket!.end());
  };

const videoOf = ({ url }: { url: string }, options: object = {}) =>
  new RecordingRequest({ baseUrl: url, token: 'api_x', ...options }).submissions.video('p', 's');

test('a lost connection is resumed from the last byte, and the whole is checked', async () => {
  await using server = await scriptedServer(media({ cutAt: 100_000 }), media({ cutAt: 1 }), media());
  const retried: string[] = [];
  const onRetry: OnRetry = ({ name }, delayMs, failures) => void retried.push(`${name} ${failures} ${delayMs}`);
  assert.deepEqual(Buffer.from(await videoOf(server, { onRetry }).bytes()), FILE);
  assert.deepEqual(
    retried,
    ['ConnectionError 1 0', 'ConnectionError 1 0'],
    'the first bytes after a loss come at once',
  );
  const [, second, third] = server.seen;
  assert.equal(second!.headers['if-range'], `"${hashOf(FILE)}"`);
  const offset = Number(/\d+/.exec(String(second!.headers.range)));
  assert.ok(offset > 0 && offset <= 100_000);
  assert.equal(third!.headers.range, `bytes=${offset + 1}-`);
});

test('a connection that brings no byte any more is given up', async () => {
  await using server = await scriptedServer(media({ cutAt: 1000 }), media({ cutAt: 0 }));
  await assert.rejects(videoOf(server, { retries: 1 }).bytes(), DownloadError);
});

test('wrong bytes are refused, also when the first part came earlier', async () => {
  await using server = await scriptedServer(media({ wrongAt: 299_999 }), media({ cutAt: 100_000 }), media());
  await assert.rejects(videoOf(server).bytes(), IntegrityError);
  const from = { offset: 9, etag: `"${hashOf(FILE)}"` };
  async function* prior(bytes: Uint8Array) {
    yield bytes;
  }
  const rest = async (given: object) => {
    const opened = await videoOf(server).open({ from: { ...from, ...given } });
    assert.equal(opened.offset, 9);
    return Buffer.concat(await Array.fromAsync(opened));
  };
  assert.deepEqual(await rest({ prior: prior(FILE.subarray(0, 9)) }), FILE.subarray(9));
  await assert.rejects(rest({ prior: prior(OTHER.subarray(0, 9)) }), IntegrityError);
  assert.deepEqual(await rest({}), FILE.subarray(9), 'without the first part there is no hash');
});

test('the page of a proxy is no file, at the beginning and when a download goes on', async () => {
  const page = (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<html>Sign in</html>');
  await using server = await scriptedServer(page, page, page, media({ cutAt: 1000 }), page);
  const path = join(scratch, 'page.webm');
  await assert.rejects(videoOf(server).info(), UnexpectedAnswerError);
  await assert.rejects(videoOf(server).bytes(), /answered 200 with text\/html/);
  await assert.rejects(saveTo(videoOf(server), path), UnexpectedAnswerError);
  await assert.rejects(saveTo(videoOf(server), path), UnexpectedAnswerError);
  const files = (await readdir(scratch)).filter(name => name.startsWith('page.webm'));
  assert.ok(!files.includes('page.webm'), files.join());
});

test('a file that changes during the download is an error for a stream, and begins again for saveTo', async () => {
  await using server = await scriptedServer(media({ cutAt: 1000 }), media({ bytes: OTHER }));
  await assert.rejects(videoOf(server).bytes(), DownloadChangedError);
  await using again = await scriptedServer(media({ cutAt: 1000 }), media({ bytes: OTHER }), media({ bytes: OTHER }));
  const path = join(scratch, 'changed.webm');
  const info = await saveTo(videoOf(again), path);
  assert.deepEqual(await readFile(path), OTHER);
  assert.deepEqual([info.size, info.sha256], [OTHER.length, hashOf(OTHER)]);
});

test('the properties come without the bytes, and the name leads to no other folder', async () => {
  await using server = await scriptedServer(media());
  assert.deepEqual(await videoOf(server).info(), {
    ...{ size: FILE.length, etag: `"${hashOf(FILE)}"`, sha256: hashOf(FILE), type: 'video/webm' },
    fileName: '.._a ü.webm',
  });
  assert.equal(server.seen[0]!.method, 'HEAD');
});

test('saveTo continues the part of a run that was killed, and leaves one whole file', async () => {
  const path = join(scratch, 'killed', 'clip.webm');
  // Each run ends as if the program was killed, because the client makes no further attempt.
  const handlers = Array.from({ length: 20 }, () => media({ cutAt: 10_000 }));
  await using server = await scriptedServer(...handlers, media());
  const sizes: number[] = [];
  for (let run = 0; ; run++) {
    assert.ok(run < 40);
    const onProgress = (bytes: number) => void sizes.push(bytes);
    const saved = await saveTo(videoOf(server, { retries: 0 }), path, { onProgress }).catch(error => error);
    if (!(saved instanceof Error)) break;
    assert.ok(saved instanceof DownloadError, String(saved));
    assert.deepEqual(await readdir(join(scratch, 'killed')), ['clip.webm.part', 'clip.webm.part.etag']);
  }
  assert.deepEqual(await readFile(path), FILE);
  assert.deepEqual(await readdir(join(scratch, 'killed')), ['clip.webm']);
  assert.deepEqual(
    sizes,
    sizes.toSorted((one, other) => one - other),
    'no byte is fetched twice',
  );
});

test('saveTo removes a part that is wrong, so that the next run succeeds', async () => {
  await using server = await scriptedServer(media());
  const path = join(scratch, 'wrong.webm');
  await writeFile(`${path}.part`, OTHER.subarray(0, 1000));
  await writeFile(`${path}.part.etag`, `"${hashOf(FILE)}"`);
  await assert.rejects(saveTo(videoOf(server), path), IntegrityError);
  assert.deepEqual(
    (await readdir(scratch)).filter(name => name.startsWith('wrong')),
    [],
  );
  await saveTo(videoOf(server), path);
  assert.deepEqual(await readFile(path), FILE);
  await writeFile(`${path}.part`, 'left without its tag');
  await saveTo(videoOf(server), path);
  assert.deepEqual(await readFile(path), FILE);
});

test('a part that is already whole is checked and kept', async () => {
  const range = (_: IncomingMessage, response: ServerResponse) =>
    void response
      .writeHead(416, { 'content-range': `bytes */${FILE.length}`, 'error-code': 'range_not_satisfiable' })
      .end();
  await using server = await scriptedServer(range, media());
  const path = join(scratch, 'whole.webm');
  const leave = async (bytes: Buffer) => {
    await writeFile(`${path}.part`, bytes);
    await writeFile(`${path}.part.etag`, `"${hashOf(FILE)}"`);
  };
  await leave(FILE);
  await saveTo(videoOf(server), path);
  assert.deepEqual(await readFile(path), FILE);
  assert.equal(server.seen.length, 1, 'the file is not fetched again');
  await using other = await scriptedServer(range, media());
  await leave(Buffer.concat([FILE, OTHER]));
  await saveTo(videoOf(other), path);
  assert.deepEqual(await readFile(path), FILE, 'a longer part is not this file');
});

test('a stream can be cancelled, and an error of the file system is reported', async () => {
  await using server = await scriptedServer(media());
  const reader = videoOf(server).stream().getReader();
  assert.ok((await reader.read()).value!.length > 0);
  await reader.cancel();
  const folder = join(scratch, 'a-file');
  await writeFile(folder, '');
  await assert.rejects(saveTo(videoOf(server), join(folder, 'clip.webm')), { code: 'EEXIST' });
});
