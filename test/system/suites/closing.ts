import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { ok, refused } from '@recording-request/harness/http-client';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import type { SeedData } from '../harness/seed.ts';

/** Tests that owners close and reopen a project. */
export function closing({ ada, ask, mute }: SeedData): void {
  describe('a closed project', () => {
    test('accepts no new responses until it is opened again; a begun response finishes', async () => {
      const { projectId, recipientUrls } = await ada.createProject({ projectName: 'To close', count: 2 });
      const [begun, open] = recipientUrls.map(({ recipientUrl }: { recipientUrl: string }) => recipientUrl);
      const responseSessionId = await beginResponse(begun!);
      const post = async (path: string) => ok(await ada.ask(`/api/projects/${projectId}${path}`, { method: 'POST' }));
      const closed = await post('/close');
      assert.equal(Number.isNaN(Date.parse(closed.closedAt)), false);
      assert.equal(closed.stats.responseSlotsRemaining, 0);
      assert.deepEqual(await post('/close'), closed);
      assert.deepEqual(ok(await ada.ask(`/api/projects/${projectId}`)), closed);
      const links = ok(await ada.ask(`/api/projects/${projectId}/links`)).recipientUrls;
      assert.deepEqual(
        links.map(({ status }: { status: string }) => status),
        ['expired', 'expired'],
      );
      const { pathname } = new URL(open!);
      const claim = { method: 'POST', json: { responseSessionId: randomUUID() } };
      const sentence = refused(await ask(`${pathname}/responses`, claim), 410, 'project_closed');
      assert.equal(sentence, 'This project is closed.');
      const page = await ask(pathname, { headers: { accept: 'text/html', 'accept-language': 'de' } });
      assert.equal(page.status, 410);
      assert.match(page.text(), /Dieses Projekt ist geschlossen/);
      assert.equal((await ask(new URL(begun!).pathname, { headers: { accept: 'text/html' } })).status, 200);
      await sendClip(begun!, mute, { responseSessionId });
      assert.equal((await post('/reopen')).closedAt, null);
      assert.equal((await post('/reopen')).stats.uniqueLinksRemaining, 1);
      await beginResponse(open!);
    });
  });
}
