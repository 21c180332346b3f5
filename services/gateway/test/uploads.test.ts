import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, type RequestListener, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { mintToken } from '@recording-request/contract/tokens';
import { type InternalHttp, serveInternally } from '@recording-request/testing/internal-http';
import { until } from '@recording-request/testing/wait';
import { OWNER_ID, PROJECT_ID, startTestGateway, type TestGateway } from './test-service.ts';

const SESSION = '019a0000-0000-7000-8000-00000000000a';
const token = mintToken('vr');
let harness: TestGateway;
let upstream: InternalHttp;
let answerUpload: RequestListener;

before(async () => {
  upstream = await serveInternally('submissions', (incoming, response) => answerUpload(incoming, response));
  harness = await startTestGateway(
    {
      projects: {
        resolveRecipient: async () =>
          ({ linkId: 'link-1', projectId: PROJECT_ID, ownerId: OWNER_ID, linkType: 2, status: 1 }) as never,
      },
    },
    {
      SUBMISSIONS_HTTP: upstream.url,
      RATE_LIMIT_ADDRESS_PER_MINUTE: '100000',
      UPLOAD_STALL_MS: '4000',
    },
  );
});
after(async () => {
  await harness[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const here = (path = '') => `${harness.base}/r/${token}${path}`;

test('the service gets the true origin of an upload, and no origin headers of the client', async () => {
  let seen: IncomingMessage['headers'] = {};
  answerUpload = (incoming, response) => {
    seen = incoming.headers;
    response
      .writeHead(201, {
        location: 'http://inner.host:1234/uploads/u1?x',
        'tus-resumable': '1.0.0',
        'upload-offset': '0',
        'upload-expires': 'Wed, 25 Nov 2026 16:44:04 GMT',
        'x-powered-by': 'inner',
      })
      .end();
  };
  const response = await fetch(here('/uploads'), {
    method: 'POST',
    headers: {
      'tus-resumable': '1.0.0',
      'upload-length': '5',
      'upload-metadata': 'filetype dmlkZW8vd2VibQ==',
      'x-link-id': 'forged',
      'x-owner-id': 'forged',
      cookie: 'a=b',
      authorization: 'Bearer x',
      traceparent: '00-11111111111111111111111111111111-2222222222222222-01',
    },
  });
  assert.equal(response.status, 201);
  assert.equal(response.headers.get('location'), `/r/${token}/uploads/u1`);
  assert.equal(response.headers.get('upload-offset'), '0');
  assert.equal(response.headers.get('upload-expires'), 'Wed, 25 Nov 2026 16:44:04 GMT');
  assert.equal(response.headers.get('x-powered-by'), null);
  assert.equal(seen['x-link-id'], 'link-1');
  assert.equal(seen['x-project-id'], PROJECT_ID);
  assert.equal(seen['x-owner-id'], OWNER_ID);
  assert.equal(seen['upload-metadata'], 'filetype dmlkZW8vd2VibQ==');
  for (const name of ['cookie', 'authorization', 'traceparent']) assert.equal(seen[name], undefined, name);
});

test('bytes of any kind and size are passed on unchanged', async () => {
  const body = Buffer.alloc(3_000_000, 'ab');
  let size = 0;
  let url: string | undefined;
  answerUpload = async (incoming, response) => {
    url = incoming.url;
    for await (const chunk of incoming) size += chunk.length;
    response.writeHead(204, { 'upload-offset': String(size) }).end();
  };
  const response = await fetch(here('/uploads/u1'), {
    method: 'PATCH',
    body,
    headers: { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
  });
  assert.equal(response.status, 204);
  assert.equal(response.headers.get('upload-offset'), '3000000');
  assert.equal(size, body.length);
  assert.equal(url, '/uploads/u1');
});

test('a content type with a parameter is passed on', async () => {
  const seen: unknown[] = [];
  answerUpload = (incoming, response) => {
    incoming.resume();
    seen.push(incoming.headers['content-type']);
    response.writeHead(204, { 'upload-offset': '1' }).end();
  };
  const types = ['application/offset+octet-stream; charset=utf-8', 'application/offset+octet-stream;charset="UTF-8"'];
  for (const type of types) {
    const headers = { 'content-type': type, 'upload-offset': '0' };
    assert.equal((await fetch(here('/uploads/u1'), { method: 'PATCH', body: 'x', headers })).status, 204);
  }
  assert.deepEqual(seen, types);
});

test('X-HTTP-Method-Override sends PATCH and DELETE, only for an upload', async () => {
  const seen: string[] = [];
  answerUpload = (incoming, response) => {
    incoming.resume();
    seen.push(`${incoming.method} ${incoming.url}`);
    response.writeHead(204, { 'upload-offset': '1' }).end();
  };
  const post = async (path: string, method: string) => {
    const headers = { 'x-http-method-override': method, 'upload-length': '1' };
    return (await fetch(here(path), { method: 'POST', body: 'x', headers })).status;
  };
  assert.deepEqual([await post('/uploads/u1', 'PATCH'), await post('/uploads/u1', 'delete')], [204, 204]);
  assert.equal(await post('/uploads/u1', 'HEAD'), 405);
  await post('/uploads', 'DELETE');
  assert.deepEqual(seen, ['PATCH /uploads/u1', 'DELETE /uploads/u1', 'POST /uploads']);
});

test('the answer to the last byte has the thank-you address', async () => {
  const landed = {
    submissionId: OWNER_ID,
    responseSessionId: SESSION,
    questionIndex: 1,
    complete: true,
    thankYouUrl: null,
  };
  answerUpload = (incoming, response) => {
    incoming.resume();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(landed));
  };
  const patch = async () => (await fetch(here('/uploads/u1'), { method: 'PATCH', body: 'x' })).json();
  assert.deepEqual(await patch(), { ...landed, thankYouUrl: `https://rec.example/r/${token}/thank-you` });
  landed.complete = false;
  assert.deepEqual(await patch(), { ...landed, thankYouUrl: null });
});

test('errors of the upload service get the common shape', async () => {
  for (const [code, body, sentence, given, word] of [
    [404, 'The file for this url was not found\n', /not found/, '', 'not_found'],
    [410, '{"error":"It was sent already.","inner":1}', /^It was sent already\.$/, 'answer_sent', 'answer_sent'],
    [403, 'no', /no/, 'a_word_of_a_later_version', 'forbidden'],
    [500, 'Error: at /inner/path', /try again/, '', 'internal_error'],
  ] as [number, string, RegExp, string, string][]) {
    answerUpload = (incoming, response) => {
      incoming.resume();
      response.writeHead(code, given ? { 'error-code': given } : {}).end(body);
    };
    const response = await fetch(here('/uploads/u1'), { method: 'PATCH', body: 'x' });
    assert.equal(response.status, code);
    assert.equal(response.headers.get('error-code'), word);
    const shown = (await response.json()) as { error: string };
    assert.deepEqual(Object.keys(shown), ['error']);
    assert.match(shown.error, sentence);
    assert.doesNotMatch(shown.error, /inner/);
  }
});

test('an upstream that breaks off in the middle is 503, and the connection ends with it', async () => {
  answerUpload = incoming => {
    incoming.once('data', () => incoming.socket.destroy());
  };
  const patch = request(here('/uploads/u1'), { method: 'PATCH', headers: { 'content-length': 10_000_000 } });
  patch.on('error', () => {});
  patch.write(Buffer.alloc(200_000));
  const [response] = (await once(patch, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 503);
  assert.equal(response.headers.connection, 'close');
  assert.equal(response.headers['retry-after'], '2');
  let text = '';
  for await (const chunk of response) text += chunk;
  assert.deepEqual(Object.keys(JSON.parse(text)), ['error']);
  patch.destroy();
});

test('the gateway retries HEAD of an upload when the service dies before it answers', async () => {
  let requested = 0;
  answerUpload = (incoming, response) => {
    requested += 1;
    if (requested < 3) incoming.socket.destroy();
    else response.writeHead(200, { 'upload-offset': '7', 'tus-resumable': '1.0.0' }).end();
  };
  const answer = await fetch(here('/uploads/u1'), { method: 'HEAD' });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('upload-offset'), '7');
});

test('a body that stops short is 503 with the received length, at once when its client closes, and never 4xx', async () => {
  let gone = 0;
  answerUpload = incoming => {
    incoming.on('error', () => {}).resume();
    incoming.once('close', () => {
      gone += 1;
    });
  };
  const { port } = new URL(harness.base);
  const head = `PATCH /r/${token}/uploads/u1 HTTP/1.1\r\nHost: x\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n`;
  const send = async (framing: string, part: string, closes: boolean) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    const begun = performance.now();
    socket.write(`${head}${framing}\r\n\r\n`);
    socket.write(part);
    if (closes) socket.end();
    const answer = await text(socket);
    socket.destroy();
    assert.match(answer, /^HTTP\/1\.1 503 /, `a tus client gives up at a 4xx: ${answer}`);
    assert.match(answer, /\r\nretry-after: 2\r\n/i);
    assert.match(answer, /\r\nerror-code: upload_incomplete\r\n/i);
    if (closes) assert.ok(performance.now() - begun < 3_000, 'it does not wait for bytes that cannot come');
    return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).error;
  };
  const part = 'x'.repeat(100_000);
  const [closed, silent, chunked] = await Promise.all([
    send('Content-Length: 300000', part, true),
    send('Content-Length: 300000', part, false),
    send('Transfer-Encoding: chunked', `186a0\r\n${part}`, true),
  ]);
  const sentence =
    'The upload stopped after 100000 of 300000 bytes: ask for its offset with HEAD, and go on from there.';
  assert.deepEqual([closed, silent], [sentence, sentence]);
  assert.equal(chunked, 'The upload stopped before its end: ask for its offset with HEAD, and go on from there.');
  await until('no call to the service waits for the rest', () => gone === 3);
});

test('a creation whose bytes stop short returns the Location of its upload and the next step', async () => {
  let made = '';
  answerUpload = incoming => {
    made = String(incoming.headers['x-upload-id']);
    incoming.on('error', () => {}).resume();
  };
  const socket = connect({ port: Number(new URL(harness.base).port), host: '127.0.0.1', allowHalfOpen: true });
  socket.write(
    `POST /r/${token}/uploads HTTP/1.1\r\nHost: x\r\nTus-Resumable: 1.0.0\r\nUpload-Length: 300000\r\nX-Upload-Id: mine\r\nContent-Length: 300000\r\n\r\n`,
  );
  socket.end('x'.repeat(100_000));
  const answer = await text(socket);
  socket.destroy();
  assert.match(answer, /^HTTP\/1\.1 503 /);
  assert.match(
    made,
    /^[0-9a-f]{8}-[0-9a-f]{4}-7/,
    'the name of the upload comes from the gateway, not from the client',
  );
  assert.ok(answer.includes(`\r\nlocation: /r/${token}/uploads/${made}\r\n`), answer);
  assert.equal(
    JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).error,
    'The upload stopped after 100000 of 300000 bytes: ask Location with HEAD for its offset, and go on from there; at 404 create it again.',
  );
});

test('an upload that the service does not read or answer is 503 in bounded time, and the gateway continues', async () => {
  answerUpload = () => {};
  for (const method of ['HEAD', 'PATCH', 'DELETE']) {
    const init = { method, ...(method === 'PATCH' ? { body: 'x' } : {}), signal: AbortSignal.timeout(60_000) };
    assert.equal((await fetch(here('/uploads/u1'), init)).status, 503, method);
  }
  // A contributor disconnects while the upload hangs; the gateway then stops watching the upload.
  const left = request(here('/uploads/u1'), { method: 'PATCH', headers: { 'content-length': 10 } });
  left.on('error', () => {});
  left.write('x');
  const arrived = new Promise(resolve => {
    answerUpload = resolve;
  });
  await arrived;
  left.destroy();
  answerUpload = (_incoming, response) => {
    setTimeout(() => response.writeHead(204).end(), 600);
  };
  for (let round = 0; round < 3; round += 1)
    assert.equal((await fetch(here('/uploads/u1'), { method: 'PATCH', body: 'x' })).status, 204);
});

test('a path outside the uploads is not passed on', async () => {
  let requested = 0;
  answerUpload = (_incoming, response) => {
    requested++;
    response.end();
  };
  // The client resolves the dots of the second path, so it requests the link's own path with a slash at the end.
  for (const path of ['/uploads/..%2Finner', '/uploads/%2e%2e', '/uploads/a/b']) {
    const response = await fetch(here(path), { method: 'HEAD', redirect: 'manual' });
    assert.ok([302, 400, 404].includes(response.status), `${path}: ${response.status}`);
  }
  assert.equal(requested, 0);
});
