import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ok } from '@recording-request/harness/http-client';
import { ensureTuspy, type TuspyInstall } from '@recording-request/stack/install/tuspy';
import { testClip } from '@recording-request/testing/clip';
import { beginResponse } from '@recording-request/testing/contributor';
import { until } from '@recording-request/testing/wait';
import { startRecordingProxy } from '../harness/recording-proxy.ts';
import { type SeedData, submissionsOf } from '../harness/seed.ts';

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const LIMIT_MS = 120_000;
// With only key frames, a clip takes 3 MB. Each sample sends it in three chunks, of which the last is shorter.
const PICTURE = { width: 1280, height: 720, keyFrameSec: 1 / 30, megabits: 40 };
const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

/** The samples' folder, and Python's path to tuspy. */
export interface Recorders {
  folder: string;
  tuspy: TuspyInstall;
}

/** Installs tuspy once per machine, and writes each sample of the page unchanged to a folder. */
export async function prepareRecorders({ ask, system }: SeedData): Promise<Recorders> {
  const folder = join(system.scratch, 'recorders');
  await mkdir(folder);
  await symlink(MODULES, join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }'); // As npm init makes it.
  const clip = await testClip({ container: 'webm', audio: 'none', seconds: 2, ...PICTURE });
  const page = (await ask('/api/docs/recorder')).text();
  for (const name of ['record.mts', 'record.mjs', 'record.py']) {
    const shown = page.split(`<code id="${name}">`)[1]!.split('</code>')[0]!;
    const chunk = Number(shown.match(/\bchunk_?(?:size|bytes)\W+([\d_]+)/i)![1]!.replaceAll('_', ''));
    const rest = clip.bytes.length % chunk;
    assert.ok(clip.bytes.length > 2 * chunk && rest > 0, `${name}: ${clip.bytes.length} bytes, chunks of ${chunk}`);
    await writeFile(
      join(folder, name),
      shown.replaceAll(/&(#?\w+);/g, (_, entity: string) => ENTITIES[entity]!),
    );
  }
  await writeFile(join(folder, 'clip.webm'), clip.bytes);
  await writeFile(join(folder, 'noise.webm'), Buffer.alloc(50_000, 'no video at all '));
  await writeFile(join(folder, 'empty.webm'), '');
  return { folder, tuspy: await ensureTuspy({ env: process.env, log: () => {} }) };
}

/** Tests the samples of the page "Build your own recorder". */
export function ownRecorders({ ada, system }: SeedData, { folder, tuspy }: Recorders): void {
  const SAMPLES: [client: string, command: string, file: string, env: Record<string, string>][] = [
    ['the client', process.execPath, 'record.mts', {}],
    ['tus-js-client', process.execPath, 'record.mjs', {}],
    ['tuspy', tuspy.command, 'record.py', tuspy.env],
  ];

  async function run(command: string, args: string[], env: Record<string, string>, cwd = folder) {
    const options = { cwd, env: { ...process.env, ...env }, timeout: LIMIT_MS };
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const [printed, messages, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    return { code, printed: printed.trim(), messages };
  }

  describe('own recorders', () => {
    test('the sample with tuspy continues its upload after a kill', async () => {
      await using proxy = await startRecordingProxy(system.baseUrl);
      const { projectId, recipientUrls } = await ada.createProject({ projectName: 'Killed', count: 1 });
      const link = recipientUrls[0]!.recipientUrl.replace(system.baseUrl, proxy.url);
      const cwd = join(folder, 'killed');
      await mkdir(cwd);
      for (const name of ['record.py', 'clip.webm']) await copyFile(join(folder, name), join(cwd, name));
      const options = { cwd, env: { ...process.env, ...tuspy.env }, timeout: LIMIT_MS };
      const patches = () => proxy.requests.filter(({ method }) => method === 'PATCH');
      proxy.hold('PATCH', 1);
      const child = spawn(tuspy.command, ['record.py', link, 'clip.webm'], { ...options, stdio: 'ignore' });
      const closed = once(child, 'close');
      await until('the second part is being sent', async () => patches().length === 2);
      child.kill('SIGKILL');
      await closed;
      proxy.hold('PATCH');
      proxy.requests.length = 0;
      const again = await run(tuspy.command, ['record.py', link, 'clip.webm'], tuspy.env, cwd);
      assert.equal(again.code, 0, again.messages);
      const [clip] = await submissionsOf(ada, projectId);
      assert.deepEqual([clip?.submissionId, clip?.incomplete], [again.printed, false]);
      assert.equal(patches()[0]?.headers['upload-offset'], '1000000');
      assert.ok(!proxy.requests.some(({ method, url }) => method === 'POST' && url.endsWith('/uploads')));
      assert.deepEqual((await readdir(cwd)).sort(), ['clip.webm', 'record.py']);
    });

    for (const [client, command, file, env] of SAMPLES) {
      test(`the sample with ${client} sends a clip in chunks and prints why a clip is refused or a repeat`, async () => {
        const { projectId, recipientUrls } = await ada.createProject({ projectName: client, count: 2 });
        const [first, second] = recipientUrls.map(({ recipientUrl }) => recipientUrl);
        const sent = await run(command, [file, first!, 'clip.webm'], env);
        assert.equal(sent.code, 0, sent.messages);
        const landed = await submissionsOf(ada, projectId);
        assert.deepEqual(
          [sent.printed],
          landed.map(({ submissionId }) => submissionId),
        );
        assert.equal(landed[0]!.incomplete, false);
        const { recipientUrls: links } = ok(await ada.ask(`/api/projects/${projectId}/links`));
        assert.ok(links[0].openedAt, 'the link has no opening time');
        const [again, refused] = await Promise.all([
          run(command, [file, first!, 'clip.webm'], env),
          run(command, [file, second!, 'noise.webm'], env),
        ]);
        assert.match(again.messages, /\banswer_sent\b/);
        assert.match(refused.messages, /\bnot_video\b/);
        assert.deepEqual([again.code, refused.code], [1, 1]);
        const empty = await run(command, [file, second!, 'empty.webm'], env);
        assert.match(empty.messages, /This file is not a video/);
        assert.equal(empty.code, 1);
        const retaken = await run(command, [file, second!, 'clip.webm'], env);
        assert.equal(retaken.code, 0, `after a refusal: ${retaken.messages}`);
        assert.ok((await submissionsOf(ada, projectId)).some(clip => clip.submissionId === retaken.printed));
      });

      test(`the sample with ${client} takes a shared link with a reference`, async () => {
        const settings = { sharedLinkEnabled: true, sharedLinkMaxUses: 1, acceptReference: true };
        const { projectId, sharedLink } = await ada.createProject({ projectName: client, count: 1, ...settings });
        const sent = await run(command, [file, `${sharedLink!.recipientUrl}?ref=P%2017%26`, 'clip.webm'], env);
        assert.equal(sent.code, 0, sent.messages);
        const [clip] = await submissionsOf(ada, projectId);
        assert.deepEqual([clip?.submissionId, clip?.recipient?.reference], [sent.printed, 'P 17&']);
      });

      test(`the sample with ${client} continues a response that another client began`, async () => {
        const interview = { projectName: client, count: 1, interviewQuestions: ['One?', 'Two?', 'Three?'] };
        const { projectId, recipientUrls } = await ada.createProject(interview);
        const link = recipientUrls[0]!.recipientUrl;
        const elsewhere = await beginResponse(link);
        for (const index of [0, 1, 2]) {
          const sent = await run(command, [file, link, 'clip.webm'], env);
          assert.equal(sent.code, 0, sent.messages);
          const landed = await submissionsOf(ada, projectId);
          const clip = landed.find(each => each.submissionId === sent.printed);
          assert.deepEqual(
            [clip?.questionIndex, clip?.responseSessionId, clip?.responseId],
            [index, elsewhere, elsewhere],
          );
        }
        const names = await Promise.all(
          (await submissionsOf(ada, projectId)).map(async each => {
            const { headers } = await ada.ask(each.videoUrl, { method: 'HEAD' });
            return headers.get('content-disposition');
          }),
        );
        const name = `attachment; filename="${client} - Link 1 - Question`;
        const expected = ['3 Three', '2 Two', '1 One'].map(question => `${name} ${question} - video.webm"`);
        assert.deepEqual(names, expected, 'a download has the name of link and question');
        const once = await run(command, [file, link, 'clip.webm'], env);
        assert.equal(once.code, 1);
        assert.match(once.messages, /410 \w+: |^answer_sent: |Every answer was sent already/);
      });
    }
  });
}
