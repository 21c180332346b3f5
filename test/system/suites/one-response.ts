import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { ok, refused } from '@recording-request/harness/http-client';
import { createUpload, tusRequest } from '@recording-request/harness/tus';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import type { SeedData } from '../harness/seed.ts';

const QUESTIONS = ['Who are you?', 'What do you do?', 'What is next?'];

/** Tests the one response of a unique link; any device with the link may continue it. */
export function oneResponse({ ada, ask, mute }: SeedData): void {
  describe('the one response of a unique link', () => {
    test('another device can continue an interview; its link is used up only when it is complete', async () => {
      const settings = { projectName: 'Interview', count: 1, interviewQuestions: QUESTIONS, requireTerms: true };
      const { projectId, recipientUrls, projectToken } = await ada.createProject(settings);
      const { pathname: path, href: url } = new URL(recipientUrls[0]!.recipientUrl);
      const join = (json: Record<string, unknown>) => ask(`${path}/responses`, { method: 'POST', json });
      const link = async () => {
        const [shown] = ok(await ada.ask(`/api/projects/${projectId}/links`)).recipientUrls;
        const [exported] = ok(await ada.ask(`/api/projects/${projectId}/export.json`)).links.recipientUrls;
        const [onDashboard] = ok(await ask(`/project/${projectToken}/links`)).recipientUrls;
        // Only routes with an API token show the factor of a person's time.
        const { timeFactor: _, ...others } = shown;
        assert.deepEqual([exported, onDashboard], [others, others]);
        return shown;
      };
      const page = async () => {
        const answer = await ask(path, { headers: { accept: 'text/html' } });
        return `${answer.status} ${/This link has been used up/.test(answer.text()) ? 'used' : 'open'}`;
      };
      assert.equal(await page(), '200 open');
      const first = await beginResponse(url, { termsAccepted: true });
      assert.equal(await page(), '200 open', 'a started response without a clip leaves the link open');
      for (const [questionIndex] of QUESTIONS.entries()) {
        assert.equal((await link()).completedAt, null);
        const other = randomUUID();
        refused(await join({ responseSessionId: other }), 400);
        const joined = ok(await join({ responseSessionId: other, termsAccepted: true }), 201);
        assert.equal(joined.responseSessionId, first);
        assert.deepEqual(
          joined.answers.map(({ submissionId }: { submissionId: string | null }) => submissionId !== null),
          QUESTIONS.map((_, index) => index < questionIndex),
        );
        assert.equal(await page(), '200 open');
        await sendClip(url, mute, { responseSessionId: first, questionIndex });
      }
      const { status, submittedAt, completedAt } = await link();
      assert.deepEqual([status, completedAt], ['exhausted', submittedAt]);
      assert.notEqual(completedAt, null);
      assert.equal(await page(), '410 used');
      refused(await join({ responseSessionId: randomUUID(), termsAccepted: true }), 410, 'answer_sent');
      assert.equal(
        ok(await join({ responseSessionId: first }), 201).complete,
        true,
        'the first device can read its response',
      );
    });

    test('if two devices answer the same question, the first landed answer stays', async () => {
      const settings = { projectName: 'Two devices', count: 1, interviewQuestions: QUESTIONS };
      const { projectId, recipientUrls } = await ada.createProject(settings);
      const url = recipientUrls[0]!.recipientUrl;
      const responseSessionId = await beginResponse(url);
      assert.equal(await beginResponse(url), responseSessionId);
      const metadata = { responseSessionId, questionIndex: 0, filetype: mute.mimeType };
      const late = await createUpload(`${url}/uploads`, { metadata });
      await late.response.arrayBuffer();
      assert.equal(late.response.status, 201);
      const landed = await sendClip(url, mute, { responseSessionId, questionIndex: 0 });
      const size = mute.bytes.length;
      const more = await tusRequest(
        late.url,
        'PATCH',
        { 'Upload-Offset': '0', 'Upload-Length': String(size) },
        mute.bytes,
      );
      assert.deepEqual([more.status, more.headers.get('error-code')], [410, 'answer_sent'], await more.text());
      const again = await createUpload(`${url}/uploads`, { metadata });
      assert.deepEqual([again.response.status, again.response.headers.get('error-code')], [410, 'answer_sent']);
      await again.response.arrayBuffer();
      const { submissions } = ok(await ada.ask(`/api/projects/${projectId}/submissions`));
      assert.deepEqual(
        submissions.map(({ submissionId }: { submissionId: string }) => submissionId),
        [landed],
      );
    });
  });
}
