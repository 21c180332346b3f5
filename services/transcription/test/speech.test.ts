import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, test } from 'node:test';
import { OutageError } from '@recording-request/events/job-claims';
import { createLogger } from '@recording-request/kit/log';
import { createSpeech, SpeechError } from '../src/adapters/speech.ts';
import { NoTranscriptError, recognizeSpeech } from '../src/workflows/recognize-speech.ts';

// A provider behind a real connection. Its server answers as the test sets it.
type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;
const KEY = 'sk-very-secret-key';
const log = createLogger('transcription', 'silent');
const audio = Buffer.from('not really audio');
let server: Server;
let origin = '';
let answers: Answer[] = [];
let bodies: string[] = [];

before(async () => {
  server = createServer(async (request, response) => {
    const body = await text(request);
    bodies.push(body);
    (answers.length > 1 ? answers.shift()! : answers[0]!)(request, response, body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  bodies = [];
});

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const refusal = (message: string, param?: string) => ({
  error: { message, type: 'invalid_request_error', param, code: null },
});
const GOOD = json(200, {
  text: 'Hello.',
  duration: 1,
  language: 'english',
  segments: [{ id: 0, start: 0.1, end: 0.9, text: 'Hello.', no_speech_prob: 0.01, avg_logprob: -0.1 }],
});

const speechOf = (requestMs = 5_000) =>
  createSpeech({ baseUrl: `${origin}/v1`, apiKey: () => KEY, model: 'whisper-1', requestMs });
const ask = (options: { requestMs?: number; jobMs?: number; maxAttempts?: number; signal?: AbortSignal } = {}) =>
  recognizeSpeech(speechOf(options.requestMs), audio, {
    maxAttempts: options.maxAttempts ?? 3,
    endsAt: Date.now() + (options.jobMs ?? 20_000),
    signal: options.signal ?? new AbortController().signal,
    log,
  });

function failsWith(pattern: RegExp, kind: new (...of: never[]) => Error = NoTranscriptError) {
  return (error: Error) => {
    assert.ok(error instanceof kind, error.stack ?? error.message);
    assert.match(error.message, pattern);
    const said = `${error.message} ${error.cause} ${(error.cause as Error)?.stack}`;
    assert.ok(!said.includes(KEY) && !said.includes('inner words'), said);
    return true;
  };
}

test('the audio is sent as a file, and its segments come back with their times', async () => {
  answers = [GOOD];
  const heard = await ask();
  assert.equal(heard.text, 'Hello.');
  assert.deepEqual(heard.segments?.[0], {
    startSec: 0.1,
    endSec: 0.9,
    text: 'Hello.',
    noSpeechProbability: 0.01,
    averageLogProbability: -0.1,
  });
  assert.match(bodies[0]!, /filename="audio\.m4a"/);
  assert.match(bodies[0]!, /verbose_json/);
  assert.match(bodies[0]!, /not really audio/);
});

test('a language is sent only if it is set, and the recognised one is returned as a code', async () => {
  answers = [GOOD];
  assert.equal((await ask()).language, 'en');
  assert.ok(!bodies[0]!.includes('name="language"'));
  const named = ['de', 'German', 'haitian creole', 'Mandarin', 'jw', 'pt-BR', 'klingon', 7, undefined];
  const codes = [];
  for (const language of named) {
    answers = [json(200, { text: 'Hello.', segments: [], language })];
    codes.push((await speechOf().transcribe(audio, { language: 'de', signal: AbortSignal.timeout(30_000) })).language);
  }
  assert.deepEqual(codes, ['de', 'de', 'ht', 'zh', 'jv', 'pt', undefined, undefined, undefined]);
  assert.match(bodies.at(-1)!, /name="language"\r\n\r\nde\r\n/);
});

test('a segment with null or missing times has no times', async () => {
  const untimed = [
    { start: null, end: null, text: ' Hello' },
    { text: ' world.' },
    { start: '0.5', end: '', text: '' },
    null,
  ];
  answers = [json(200, { text: 'Hello world.', segments: untimed })];
  const times = (await ask()).segments?.map(({ startSec, endSec }) => [startSec, endSec]);
  const none = [Number.NaN, Number.NaN];
  assert.deepEqual(times, [none, none, [0.5, Number.NaN], none]);
});

test('a text-only model gets requests without times from then on', async () => {
  answers = [json(400, refusal('verbose_json is not supported', 'response_format')), json(200, { text: 'Hello.' })];
  const speech = speechOf();
  const heard = await speech.transcribe(audio, { signal: AbortSignal.timeout(30_000) });
  assert.deepEqual(heard, { text: 'Hello.', language: undefined, segments: undefined });
  await speech.transcribe(audio, { signal: AbortSignal.timeout(30_000) });
  assert.equal(bodies.length, 3);
});

test('a busy or broken provider gets a retry, not before Retry-After', async () => {
  answers = [json(429, refusal('slow down'), { 'retry-after': '2' }), json(503, {}), GOOD];
  const startedAt = Date.now();
  assert.equal((await ask()).text, 'Hello.');
  assert.equal(bodies.length, 3);
  assert.ok(Date.now() - startedAt >= 3_900, `${Date.now() - startedAt} ms`);
});

test('a provider that stays broken for all attempts, or past the job, is an outage and fails no clip', async () => {
  answers = [json(500, refusal('inner words'))];
  await assert.rejects(ask({ maxAttempts: 2 }), failsWith(/does not answer/, OutageError));
  assert.equal(bodies.length, 2);
  answers = [json(429, refusal('inner words'), { 'retry-after': '60' })];
  await assert.rejects(ask({ jobMs: 30_000 }), (error: OutageError) => {
    assert.equal(error.afterMs, 60_000, 'not before Retry-After');
    return failsWith(/too busy/, OutageError)(error);
  });
});

test('a truncated answer is an outage, as when the provider restarts', async () => {
  const breaksOff =
    (headers: Record<string, string>): Answer =>
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      response.write('{"text": "Hello', () => response.destroy());
    };
  // The error depends on keep-alive and on how the answer declares its length.
  for (const length of [{}, { 'content-length': '1000' }] as Record<string, string>[])
    for (const connection of ['keep-alive', 'close']) {
      const headers = { ...length, connection };
      answers = [breaksOff(headers)];
      await assert.rejects(ask({ maxAttempts: 1 }), failsWith(/does not answer/, OutageError), JSON.stringify(headers));
    }
  // A complete answer that cannot be decoded is not an outage.
  answers = [
    (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('no gzip'),
  ];
  await assert.rejects(ask({ maxAttempts: 1 }), NoTranscriptError);
  answers = [breaksOff({ 'content-length': '1000' }), GOOD];
  assert.equal((await ask()).text, 'Hello.');
});

test('a refusal gets no retry and reports neither the key nor the provider’s text; a wrong key fails no clip', async () => {
  answers = [json(401, refusal(`Incorrect API key provided: ${KEY}. inner words`))];
  await assert.rejects(ask(), failsWith(/SPEECH_API_KEY/, OutageError));
  answers = [json(400, refusal('inner words', 'file'))];
  await assert.rejects(ask(), failsWith(/refused/));
  assert.equal(bodies.length, 2);
});

test('the client stops waiting for a hanging provider, within the job’s time', async () => {
  answers = [() => {}];
  await assert.rejects(ask({ requestMs: 100, maxAttempts: 1 }), failsWith(/does not answer/, OutageError));
  await assert.rejects(ask({ requestMs: 60_000, jobMs: 200 }), failsWith(/does not answer/, OutageError));
  const reason = new Error('the service stops');
  await assert.rejects(ask({ signal: AbortSignal.abort(reason) }), reason);
});

test('an endless answer, one without text or without JSON fails, and a redirect is not followed', async () => {
  answers = [
    (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(9e6)}"`),
  ];
  await assert.rejects(ask({ maxAttempts: 1 }), NoTranscriptError);
  answers = [json(200, { segments: [] })];
  await assert.rejects(ask({ maxAttempts: 1 }), failsWith(/no usable answer/));
  answers = [
    (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"text"'),
  ];
  await assert.rejects(ask({ maxAttempts: 1 }), NoTranscriptError);
  bodies = [];
  answers = [(_request, response) => void response.writeHead(307, { location: `${origin}/elsewhere` }).end(), GOOD];
  await assert.rejects(ask({ maxAttempts: 1 }), OutageError);
  assert.equal(bodies.length, 1);
});

test('an unreachable provider is an outage', async () => {
  const speech = createSpeech({
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKey: () => '',
    model: 'whisper-1',
    requestMs: 2_000,
  });
  await assert.rejects(
    speech.transcribe(audio, { signal: AbortSignal.timeout(30_000) }),
    error => error instanceof SpeechError && error.failure.kind === 'unreachable',
  );
});
