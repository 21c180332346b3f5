import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { ok, refused } from '@recording-request/harness/http-client';
import { sendClip } from '@recording-request/testing/contributor';
import type { SeedData } from '../harness/seed.ts';

const RETURN_URL = 'https://shop.example/thanks?order={reference}&clip={submissionId}&code={code}';
const REFERENCE = '<b>P-17</b>';

/** Tests the reference in the address of a shared link, the completion code, and the way back to the owner's site. */
export function returning({ ada, ask, mute }: SeedData): void {
  describe('the way back', () => {
    test('a response keeps the reference, and ends with a code and the filled address', async () => {
      const { sharedLink, projectId } = await ada.createProject({
        ...{ projectName: 'Orders', count: 1, sharedLinkEnabled: true },
        ...{ acceptReference: true, returnUrl: RETURN_URL },
      });
      const url = sharedLink!.recipientUrl;
      const { pathname } = new URL(url);
      const page = await ask(`${pathname}?ref=${encodeURIComponent(REFERENCE)}`, { headers: { accept: 'text/html' } });
      assert.doesNotMatch(page.text(), /<b>P-17/);
      assert.match(page.text(), /\?lang=de&amp;ref=%3Cb%3EP-17%3C%2Fb%3E"/);
      const responseSessionId = randomUUID();
      const begin = (json: object) => ask(`${pathname}/responses`, { method: 'POST', json });
      for (const reference of ['x'.repeat(201), 'x'.repeat(5_000), 'a\u0000b', 'a\nb', 7, null])
        assert.match(refused(await begin({ responseSessionId, reference }), 400, 'value_invalid'), /^reference /);
      const begun = ok(await begin({ responseSessionId, reference: REFERENCE }), 201);
      assert.deepEqual([begun.completionCode, begun.returnUrl], [null, null]);
      const submissionId = await sendClip(url, mute, { responseSessionId });
      const response = ok(await ask(`${pathname}/responses/${responseSessionId}`));
      const { completionCode: code, returnUrl } = response;
      assert.match(code, /^[0-9A-HJKMNP-TV-Z]{8}$/);
      const order = encodeURIComponent(REFERENCE);
      assert.equal(returnUrl, `https://shop.example/thanks?order=${order}&clip=${submissionId}&code=${code}`);
      assert.deepEqual(
        ok(await ask(`${pathname}/responses/${responseSessionId}`)),
        response,
        'a reload changes nothing',
      );
      const found = async (query: string) => {
        const { submissions } = ok(await ada.ask(`/api/projects/${projectId}/submissions?${query}`));
        return submissions.map((each: { submissionId: string }) => each.submissionId);
      };
      for (const written of [code, code.toLowerCase()])
        assert.deepEqual(await found(`code=${written}`), [submissionId]);
      const named = encodeURIComponent(REFERENCE);
      assert.deepEqual(await found(`code=${code}&reference=${named}`), [submissionId]);
      for (const query of [
        'code=00000000',
        `code=${code}&reference=other`,
        `code=${code}&responseSessionId=${randomUUID()}`,
      ])
        assert.deepEqual(await found(query), []);
      const [clip] = ok(await ada.ask(`/api/projects/${projectId}/submissions`)).submissions;
      assert.deepEqual([clip.recipient.reference, clip.recipient.verified], [REFERENCE, false]);
      const thanks = await ask(`${pathname}/thank-you?response=${responseSessionId}`);
      assert.ok(thanks.text().includes(`href="${returnUrl.replaceAll('&', '&amp;')}"`));
      assert.match(thanks.text(), />Continue to shop\.example<\/a>/);
      for (const query of ['', '?response=x', `?response=${randomUUID()}`]) {
        const other = await ask(`${pathname}/thank-you${query}`);
        assert.equal(other.status, 200);
        assert.doesNotMatch(other.text(), /shop\.example/);
      }
    });

    test('a project that accepts no reference ignores it', async () => {
      const { sharedLink } = await ada.createProject({ projectName: 'No', count: 1, sharedLinkEnabled: true });
      const { pathname } = new URL(sharedLink!.recipientUrl);
      const page = await ask(`${pathname}?ref=P-17`, { headers: { accept: 'text/html' } });
      assert.doesNotMatch(page.text(), /P-17/);
      ok(await ask(`${pathname}/responses`, { method: 'POST', json: { reference: 'P-17' } }), 201);
    });
  });
}
