/**
 * Tests captions through HTTP: the cues made from a provider's segments, and the bulk download of captions. The test
 * plays the speech provider and returns difficult segments.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ProjectCreatedJson } from '@recording-request/contract/resources/project';
import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import { run } from '@recording-request/fixtures/run';
import { ok, refused } from '@recording-request/harness/http-client';
import { testClip } from '@recording-request/testing/clip';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { startTestSystem } from '@recording-request/testing/test-system';
import { until } from '@recording-request/testing/wait';
import { SYSTEM_WAIT } from './harness/limits.ts';
import { readZip } from './harness/python.ts';
import { submissionsOf } from './harness/seed.ts';

const LONG =
  'It reads x < y && y > z\n\n00:00:01.000 --> 00:00:02.000\n\nas text, and goes on for much longer than two lines can hold, so that it is several cues.';
const JAPANESE = '私はこの製品を一年ほど使っていますが、とても便利だと思います。チームの全員がそう言っています。';
const ARABIC = 'استخدمت هذا المنتج لمدة عام تقريبًا، في العمل غالبًا، ولا أحد يريد إعادته.';

await using starting = new AsyncDisposableStack();
const spoken = await testClip({
  container: 'webm',
  text: 'hello my name is anna and this is my answer to the question about the new product which i have used for a year',
  width: 64,
  height: 48,
  frameRate: 10,
});
const mute = await testClip({ container: 'webm', audio: 'none', seconds: 1, width: 64, height: 48, frameRate: 10 });
const third = spoken.durationSec / 3;
const speech = createServer((request, response) => {
  const segments = [LONG, JAPANESE, ARABIC].map((text, at) => ({ start: at * third, end: (at + 1) * third, text }));
  const answer = { text: [LONG, JAPANESE, ARABIC].join(' '), language: 'english', segments };
  request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(answer)));
});
await new Promise<void>(resolve => speech.listen(0, '127.0.0.1', resolve));
starting.defer(() => {
  speech.close();
  speech.closeAllConnections();
});
const SPEECH_BASE_URL = `http://127.0.0.1:${(speech.address() as AddressInfo).port}/v1`;
const system = starting.use(await startTestSystem({ env: { SPEECH_BASE_URL } }));
const ada = await system.newOwner('Ada');
const settings = { count: 4, transcriptionEnabled: true };
const project: ProjectCreatedJson = await ada.createProject({ projectName: 'Captions', ...settings });
const empty = await ada.createProject({ projectName: 'Empty', count: 1 });
const path = `/api/projects/${project.projectId}`;
// The second clip has no sound and therefore no transcript. No other clip may get its number.
for (const [at, clip] of [spoken, mute, spoken].entries()) {
  const link = project.recipientUrls[at]!.recipientUrl;
  await sendClip(link, clip, { responseSessionId: await beginResponse(link) });
}
const clips: SubmissionJson[] = await until(
  'two transcripts',
  async () => {
    const found = (await submissionsOf(ada, project.projectId)).reverse();
    return found.filter(({ transcriptStatus }) => transcriptStatus === 'completed').length === 2 && found;
  },
  SYSTEM_WAIT,
);
const started = starting.move();
after(() => started.disposeAsync());

interface Cue {
  start: number;
  end: number;
  lines: string[];
}

const seconds = (clock: string) =>
  clock
    .replace(',', '.')
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part), 0);

/** Reads cues by the grammar of WebVTT or of SubRip. Fails on any other text. */
function strictly(text: string, kind: 'vtt' | 'srt'): Cue[] {
  const blocks = text.replace(/\n$/, '').split('\n\n');
  if (kind === 'vtt') assert.equal(blocks.shift(), 'WEBVTT');
  const clock = kind === 'vtt' ? String.raw`(\d\d:[0-5]\d:[0-5]\d\.\d{3})` : String.raw`(\d\d:[0-5]\d:[0-5]\d,\d{3})`;
  return blocks.map((block, at) => {
    const lines = block.split('\n');
    if (kind === 'srt') assert.equal(lines.shift(), String(at + 1));
    const [, start, end] = new RegExp(`^${clock} --> ${clock}$`).exec(lines.shift() ?? '') ?? assert.fail(block);
    assert.ok(lines.length > 0 && lines.every(line => line.trim() !== '' && !line.includes('-->')), block);
    if (kind === 'vtt') for (const line of lines) assert.doesNotMatch(line, /[<>]|&(?!amp;|lt;|gt;)/);
    const plain = (line: string) => line.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    return { start: seconds(start!), end: seconds(end!), lines: kind === 'vtt' ? lines.map(plain) : lines };
  });
}

const bare = (text: string) => text.replaceAll(/\s/g, '');
const fileOf = async (base: string, clip: SubmissionJson, extension: string) =>
  ada.ask(`${base}/submissions/${clip.submissionId}/transcript.${extension}`);

test('cues follow captioning practice for any provider result', async () => {
  const cues = strictly((await fileOf(path, clips[0]!, 'vtt')).text(), 'vtt');
  let before = 0;
  for (const { start, end, lines } of cues) {
    assert.ok(start >= before && end - start >= 0.999 && end - start <= 7.001, `${before} ${start} ${end}`);
    assert.ok(lines.length <= 2 && lines.every(line => [...line].length <= 42), lines.join('|'));
    assert.ok(!lines.some(line => /[ぁ-ん一-龯]/.test(line) && line.length > 16), lines.join('|'));
    before = end;
  }
  assert.ok(before <= spoken.durationSec);
  const text = cues.flatMap(({ lines }) => lines).join(' ');
  assert.ok(bare(text).includes(bare(JAPANESE)) && bare(text).includes(bare(ARABIC)));
  assert.ok(text.includes('x < y && y > z 00:00:01.000 --> 00:00:02.000 as text'));
});

test('transcript.srt has the same cues, for the owner and the dashboard; 404 without a transcript', async () => {
  const vtt = strictly((await fileOf(path, clips[0]!, 'vtt')).text(), 'vtt');
  for (const base of [path, `/project/${project.projectToken}`]) {
    const answer = await fileOf(base, clips[0]!, 'srt');
    assert.equal(answer.headers.get('content-type'), 'application/x-subrip; charset=utf-8');
    const srt = strictly(answer.text(), 'srt');
    assert.deepEqual(
      srt,
      vtt.map(cue => ({ ...cue, lines: cue.lines.map(line => line.replace('-->', '→')) })),
    );
    refused(await fileOf(base, clips[1]!, 'srt'), 404, 'not_found');
  }
});

test('ffmpeg reads the same times from both formats', async () => {
  const timesOf = async (extension: string) => {
    const file = join(system.scratch, `captions.${extension}`);
    await writeFile(file, (await fileOf(path, clips[0]!, extension)).bytes);
    const shown = ['-v', 'error', '-show_entries', 'packet=pts_time,duration_time', '-of', 'csv=p=0', file];
    return (await run('ffprobe', shown)).trim().split('\n');
  };
  const [vtt, srt] = [await timesOf('vtt'), await timesOf('srt')];
  assert.deepEqual(srt, vtt);
  assert.equal(vtt.length, strictly((await fileOf(path, clips[0]!, 'vtt')).text(), 'vtt').length);
});

test('transcripts.zip has a text and both caption files of each transcript, named as the videos in project.zip', async () => {
  const videos = (await readZip(system.scratch, (await ada.ask(`${path}/export/project.zip`)).bytes)).entries
    .map(({ name }) => /^videos\/(.*)\.webm$/.exec(name)?.[1])
    .filter(name => name !== undefined);
  assert.equal(videos.length, 3);
  const whole = await ada.ask(`${path}/export/transcripts.zip`);
  assert.equal(whole.headers.get('content-type'), 'application/zip');
  const { bad, entries } = await readZip(system.scratch, whole.bytes);
  assert.equal(bad, null);
  assert.ok(entries.every(({ stored }) => !stored));
  assert.deepEqual(
    entries.map(({ name }) => name),
    [videos[0], videos[2]].flatMap(name => ['txt', 'vtt', 'srt'].map(extension => `${name}.${extension}`)),
  );
  for (const extension of ['txt', 'vtt', 'srt']) {
    const inZip = entries.find(({ name }) => name.endsWith(extension))!;
    assert.equal(inZip.text, (await fileOf(path, clips[0]!, extension)).text());
  }
  assert.ok(
    (await ada.ask(`${path}/export/transcripts.zip`)).bytes.equals(whole.bytes),
    'each download has the same bytes',
  );
  const dashboards = await ada.ask(`/project/${project.projectToken}/export/transcripts.zip?selected=true`);
  assert.ok(dashboards.bytes.equals(whole.bytes), 'the dashboard ignores filters');
});

test('filters narrow transcripts.zip; without a transcript it is a valid archive', async () => {
  ok(await ada.ask(`${path}/submissions/${clips[2]!.submissionId}`, { method: 'PATCH', json: { selected: true } }));
  const namesOf = async (address: string) => {
    const { bad, entries } = await readZip(system.scratch, (await ada.ask(address)).bytes);
    assert.equal(bad, null);
    return entries.map(({ name }) => name);
  };
  const only = `0001-${clips[2]!.submissionId}`;
  assert.deepEqual(await namesOf(`${path}/export/transcripts.zip?selected=true`), [
    `${only}.txt`,
    `${only}.vtt`,
    `${only}.srt`,
  ]);
  assert.deepEqual(await namesOf(`${path}/export/transcripts.zip?transcriptStatus=failed`), ['README.txt']);
  assert.deepEqual(await namesOf(`/api/projects/${empty.projectId}/export/transcripts.zip`), ['README.txt']);
  assert.match(refused(await ada.ask(`${path}/export/transcripts.zip?q=x`), 400), /^q /);
});
