import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { testClip } from '@recording-request/testing/clip';
import { hashOf } from '../harness/mirror.ts';
import { type Finished, rr, startRr } from '../harness/rr.ts';
import { killAgain, share } from '../harness/rr-kills.ts';
import { openRrProject, type RrProject, type RrProjectOptions } from '../harness/rr-project.ts';

const UPLOAD = /\/uploads\/[\w-]+$/;
const QUESTIONS = ['Who are you?', 'What do you make?', 'What is next?'];
const ENOUGH_KILLS = 10;
// A take of several hundred kilobytes, so that many kills can fall within its upload.
const TAKE = { container: 'webm', audio: 'none', seconds: 4, width: 640, height: 360, frameRate: 25 } as const;

/** Kills `rr send` in every phase of an upload, and answers the questions of an interview. */
export function commandLineSend(data: RrProjectOptions, kills: number): void {
  describe(`rr send, killed ${kills} times in each upload`, () => {
    let work: RrProject;
    const takes: Buffer[] = [];
    before(async () => {
      for (const question of QUESTIONS.keys()) takes.push((await testClip({ ...TAKE, question })).bytes);
      work = await openRrProject(data);
      for (const [index, bytes] of takes.entries()) await writeFile(join(work.scratch, `take-${index}.webm`), bytes);
    });
    after(() => work[Symbol.asyncDispose]());

    const send = (link: string, take: number): Promise<Finished> =>
      rr(['send', link, `take-${take}.webm`, '--json'], work.options);

    /** Kills the upload of a take at random bytes, and completes it. Returns the id of its submission. */
    async function sendKilled(link: string, take: number): Promise<string> {
      const { proxy, options } = work;
      const offsets: number[] = [];
      proxy.intercept = ({ method, headers }) => {
        if (method === 'PATCH') offsets.push(Number(headers['upload-offset']));
        return false;
      };
      proxy.pieceBytes = 1_024;
      const size = takes[take]!.length;
      await killAgain(['send', link, `take-${take}.webm`], options, {
        times: kills,
        aim: (kill, left) => {
          const rest = size - Math.max(0, ...offsets);
          // Half the value of `share`, so that the upload is never complete before the last kill.
          return proxy.afterSent(Math.ceil(share(rest, left) / 2), UPLOAD, kill);
        },
        more: () => assert.fail('The take was sent before the last kill.'),
      });
      const { code, stdout, stderr } = await send(link, take);
      assert.equal(code, 0, stderr);
      // The gateway may lose the last bytes before a broken connection. With only a few kills, it may lose all bytes.
      if (kills >= ENOUGH_KILLS)
        assert.ok(
          offsets.some(offset => offset > 0),
          `no upload was continued: ${offsets.join()}`,
        );
      assert.deepEqual(
        offsets,
        offsets.toSorted((one, other) => one - other),
      );
      return JSON.parse(stdout).submissionId;
    }

    test('an upload that is killed again and again lands once, with the same bytes', async () => {
      const { proxy, client, projectId, scratch } = work;
      const link = work.proxied(work.link);
      // Kills the command before it stores its response, then before it stores the address of its upload.
      for (const path of [/\/responses$/, /\/uploads$/]) {
        const sending = startRr(['send', link, 'take-0.webm'], work.options);
        proxy.after(0, path, () => sending.child.kill('SIGKILL'));
        assert.equal((await sending.done).endedBy, 'SIGKILL');
      }
      const submissionId = await sendKilled(link, 0);
      const [clip, ...others] = await work.clips();
      assert.deepEqual([clip?.submissionId, others.length], [submissionId, 0]);
      const { sha256, fileSize } = await client.submissions.get(projectId, submissionId);
      assert.equal(sha256, hashOf(takes[0]!));
      assert.ok(fileSize! > 0);
      assert.deepEqual(await readdir(join(scratch, 'recording-request', 'uploads')), []);
    });

    test('a command that is stopped in the middle, and killed while the take lands, finds it landed', async () => {
      const { proxy } = work;
      const link = work.proxied(work.link);
      const before = (await work.clips()).length;
      const stopping = startRr(['send', link, 'take-1.webm'], work.options);
      proxy.afterSent(takes[1]!.length / 2, UPLOAD, () => stopping.child.kill('SIGINT'));
      const stopped = await stopping.done;
      assert.deepEqual([stopped.code, stopped.stdout], [130, '']);
      const sending = startRr(['send', link, 'take-1.webm'], work.options);
      // The command requests the state of the response only after it has sent every byte.
      proxy.after(1, /\/responses\/[\w-]+$/, () => sending.child.kill('SIGKILL'));
      assert.equal((await sending.done).endedBy, 'SIGKILL');
      const { code, stdout, stderr } = await send(link, 1);
      assert.equal(code, 0, stderr);
      assert.ok(JSON.parse(stdout).submissionId);
      assert.equal((await work.clips()).length, before + 1);
    });

    test('an upload that the service cannot take now is continued later', async () => {
      const { proxy } = work;
      const link = work.proxied(work.link);
      const methods: string[] = [];
      proxy.intercept = ({ method, url }, response) => {
        methods.push(method!);
        if (method !== 'PATCH' || !UPLOAD.test(url!)) return false;
        const headers = { 'retry-after': '86400', 'error-code': 'unavailable', 'content-type': 'application/json' };
        response.writeHead(503, headers).end('{"error": "Overloaded."}');
        return true;
      };
      const refused = await send(link, 2);
      assert.notEqual(refused.code, 0);
      assert.ok(methods.includes('POST'));
      methods.length = 0;
      proxy.intercept = ({ method }) => {
        methods.push(method!);
        return false;
      };
      const { code, stderr } = await send(link, 2);
      assert.equal(code, 0, stderr);
      assert.ok(!methods.includes('POST'), `a new upload was begun: ${methods.join()}`);
    });

    test('an interview takes one command for each question, each of which may be killed', async () => {
      const { client } = work;
      const project = await data.owner.createProject({
        projectName: 'Interview',
        count: 1,
        interviewQuestions: QUESTIONS,
      });
      const link = work.proxied(project.recipientUrls[0]!.recipientUrl);
      const sent: string[] = [];
      for (const take of takes.keys()) sent.push(await sendKilled(link, take));
      const clips = await client.submissions.list(project.projectId).all(10);
      const byQuestion = clips.toSorted((one, other) => one.questionIndex! - other.questionIndex!);
      assert.deepEqual(
        byQuestion.map(({ submissionId, questionIndex }) => [submissionId, questionIndex]),
        sent.map((submissionId, index) => [submissionId, index]),
      );
      for (const [index, { submissionId }] of byQuestion.entries()) {
        const { sha256 } = await client.submissions.get(project.projectId, submissionId);
        assert.equal(sha256, hashOf(takes[index]!), `question ${index}`);
      }
      const fourth = await send(link, 0);
      assert.notEqual(fourth.code, 0, 'the interview is complete');
    });
  });
}
