import './testing/own-servers.ts';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ensure } from './install/ensure.ts';
import { ensureWhisper, NotPinnedError } from './install/whisper.ts';
import { type Servers, startServers } from './servers.ts';
import { tempDir } from './testing/temp-dir.ts';

const SAID = 'hello my name is anna and this is my answer to the question about the new product';
const NICE = '3';
const LIMITED = { timeout: 30_000 };
let dir: Awaited<ReturnType<typeof tempDir>>;
let servers: Servers;
let spoken: Buffer;
let silent: Buffer;

before(async () => {
  dir = await tempDir();
  await ensure(['flite', 'ffmpeg'], () => {});
  servers = await startSpeechServer('pocketsphinx');
  const [speech, silence] = [join(dir.path, 'speech.wav'), join(dir.path, 'silence.webm')];
  execFileSync('flite', ['-voice', 'slt', '-t', SAID, '-o', speech], LIMITED);
  execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'anullsrc=r=48000:cl=mono', '-t', '4', silence], LIMITED);
  spoken = readFileSync(speech);
  silent = readFileSync(silence);
});
after(async () => {
  await servers?.stop();
  await dir?.[Symbol.asyncDispose]();
});

const startSpeechServer = (engine: string) =>
  startServers({
    ...{ dataDir: join(dir.path, engine), only: ['speech'], log: () => {} },
    env: { ...process.env, SPEECH_ENGINE: engine, SPEECH_WORKERS: '2', SPEECH_NICE: NICE },
  });

async function ask(file: Buffer | undefined, fields: [string, string][] = [], key = servers.env.SPEECH_API_KEY) {
  const form = new FormData();
  for (const [name, value] of [['model', servers.env.SPEECH_MODEL!], ...fields] as const) form.append(name, value);
  if (file) form.append('file', new Blob([new Uint8Array(file)]), 'clip.wav');
  const url = `${servers.speechBaseUrl}/audio/transcriptions`;
  const init = { method: 'POST', body: form, headers: { authorization: `Bearer ${key}` } };
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, text, json: isJson ? JSON.parse(text) : undefined };
}

test('recognises speech, with the times of words and segments', async () => {
  const grains: [string, string][] = ['word', 'segment'].map(grain => ['timestamp_granularities[]', grain]);
  const { status, json } = await ask(spoken, [['response_format', 'verbose_json'], ...grains]);
  assert.equal(status, 200);
  const heard = new Set(json.text.split(' '));
  const share = SAID.split(' ').filter(word => heard.has(word)).length / SAID.split(' ').length;
  assert.ok(share >= 0.8, `${share} of the words heard: ${json.text}`);
  assert.ok(Math.abs(json.duration - 4.6) < 0.2, `duration ${json.duration}`);
  assert.equal(json.language, 'english');
  assert.equal(json.words.map(({ word }: { word: string }) => word).join(' '), json.text);
  let last = 0;
  for (const { start, end } of json.words) {
    assert.ok(start >= last && end > start && end <= json.duration);
    last = end;
  }
  assert.equal(json.segments.map(({ text }: { text: string }) => text).join(' '), json.text);
  for (const { start, end, text, avg_logprob, no_speech_prob } of json.segments) {
    assert.ok(end - start <= 7 && text.length <= 80 && avg_logprob < 0 && no_speech_prob < 0.5);
  }
});

test('returns the same words in the other formats', async () => {
  const { json } = await ask(spoken);
  assert.deepEqual(Object.keys(json), ['text']);
  assert.equal((await ask(spoken, [['response_format', 'text']])).text, `${json.text}\n`);
  const vtt = (await ask(spoken, [['response_format', 'vtt']])).text;
  assert.match(vtt, /^WEBVTT\n\n00:00:0\d\.\d{3} --> 00:00:0\d\.\d{3}\nhello /);
  const cues = vtt.split('\n').filter(line => /^[a-z]/.test(line));
  assert.equal(cues.join(' '), json.text);
});

test('finds no words in silence', async () => {
  const { status, json } = await ask(silent, [['response_format', 'verbose_json']]);
  assert.equal(status, 200);
  assert.deepEqual([json.text, json.segments, json.duration > 3.9], ['', [], true]);
});

test('serves more requests than there are recognisers', async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => ask(spoken)));
  assert.deepEqual(new Set(answers.map(({ json }) => json.text)).size, 1);
});

test('returns errors in the form of OpenAI', async () => {
  const cases = [
    [await ask(undefined), 400, 'file'],
    [await ask(Buffer.from('this is no sound')), 400, 'file'],
    [await ask(spoken, [['response_format', 'poem']]), 400, 'response_format'],
    [await ask(Buffer.alloc(27 * 1024 * 1024)), 413, null],
    [await ask(spoken, [], 'wrong'), 401, null],
  ] as const;
  for (const [{ status, json }, expected, param] of cases) {
    assert.equal(status, expected);
    assert.deepEqual(Object.keys(json.error), ['message', 'type', 'param', 'code']);
    assert.equal(json.error.param, param);
  }
  const nowhere = await fetch(`${servers.speechBaseUrl}/nowhere`, {
    headers: { authorization: `Bearer ${servers.env.SPEECH_API_KEY}` },
  });
  assert.equal(nowhere.status, 404);
});

test('refuses a language that the recogniser does not know', async () => {
  assert.equal((await ask(spoken, [['language', 'English']])).status, 200);
  for (const language of ['de', 'klingon']) {
    const { status, json } = await ask(spoken, [['language', language]]);
    assert.deepEqual([status, json.error.param], [400, 'language']);
  }
});

// Starts Whisper only in this test, as one process, because Whisper needs 400 MB of memory and seconds of CPU time for
// each clip.
test('Whisper recognises every word, writes sentences, detects the language, and finds nothing in noise', async t => {
  const missing = await ensureWhisper({ env: process.env, log: () => {} }).then(
    () => undefined,
    error => error,
  );
  if (missing instanceof NotPinnedError) return t.skip(missing.message);
  assert.ifError(missing);
  await servers.stop();
  servers = await startSpeechServer('whisper');
  const verbose: [string, string][] = [
    ['response_format', 'verbose_json'],
    ...['word', 'segment'].map((grain): [string, string] => ['timestamp_granularities[]', grain]),
  ];
  const { json } = await ask(spoken, verbose);
  assert.match(json.text, /^Hello,? my name is An.*\.$/);
  const heard = new Set(json.text.toLowerCase().match(/[a-z]+/g));
  const words = SAID.split(' ');
  assert.ok(words.filter(word => heard.has(word)).length / words.length >= 0.9, json.text);
  assert.equal(json.language, 'english');
  assert.equal(json.words.map(({ word }: { word: string }) => word).join(' '), json.text);
  assert.equal(json.segments.map(({ text }: { text: string }) => text).join(' '), json.text);
  for (const { start, end } of json.words) assert.ok(start >= 0 && end >= start && end <= json.duration);
  assert.equal((await ask(spoken, [...verbose, ['language', 'de']])).json.language, 'german');
  const noise = join(dir.path, 'noise.wav');
  const source = ['-f', 'lavfi', '-i', 'anoisesrc=color=pink:amplitude=0.3:seed=1:duration=4'];
  execFileSync('ffmpeg', ['-v', 'error', ...source, '-af', 'tremolo=f=0.7:d=0.9', noise], LIMITED);
  for (const nothing of [silent, readFileSync(noise)]) assert.equal((await ask(nothing, verbose)).json.text, '');
});

test('runs at the configured niceness, also where Linux schedules whole sessions', () => {
  const { pid } = servers.servers.speech!;
  // `nice` is the 17th field after the program's name. The name itself may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
  assert.equal(fields[16], NICE);
  const session = `/proc/${pid}/autogroup`;
  if (existsSync(session)) assert.match(readFileSync(session, 'utf8'), new RegExp(` nice ${NICE}\\n`));
});

test('ends a recogniser that hangs, and cuts long audio where it is quiet', () => {
  const cwd = fileURLToPath(new URL('../speech', import.meta.url));
  execFileSync('python3', ['-B', '-m', 'unittest', '-q', 'test_pool', 'test_pieces'], {
    cwd,
    stdio: 'pipe',
    ...LIMITED,
  });
});

test('cuts cues at pauses and keeps them short', () => {
  const cwd = fileURLToPath(new URL('../speech', import.meta.url));
  execFileSync('python3', ['-B', '-m', 'unittest', '-q', 'test_cues'], { cwd, stdio: 'pipe', ...LIMITED });
});
