import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ErasureJson } from '@recording-request/contract/resources/erasure';
import type { ProjectCreatedJson } from '@recording-request/contract/resources/project';
import { ok, refused } from '@recording-request/harness/http-client';
import { createUpload, tusRequest } from '@recording-request/harness/tus';
import { startReceiver } from '@recording-request/harness/webhook-receiver';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { until } from '@recording-request/testing/wait';
import { fits } from '../harness/fits.ts';
import { SYSTEM_WAIT } from '../harness/limits.ts';
import { type SeedData, submissionsOf } from '../harness/seed.ts';

const PERSON = { name: 'Ana to erase', reference: 'E-1' };

/** Tests that owners erase submissions and projects. */
export function ownErasure({ ada, bob, bobs, ask, mute, system }: SeedData): void {
  const pathOf = (projectId: string, submissionId?: string) =>
    `/api/projects/${projectId}${submissionId === undefined ? '' : `/submissions/${submissionId}`}`;
  const post = (path: string, json?: object, owner = ada) =>
    owner.ask(`${path}/erase`, { method: 'POST', ...(json && { json }) });

  async function proposed(path: string): Promise<ErasureJson & { confirm: string }> {
    const erasure = ok(await post(path));
    fits(erasure, 'Erasure');
    assert.equal(erasure.state, 'proposed');
    const minutes = (Date.parse(erasure.confirmExpiresAt) - Date.now()) / 60_000;
    assert.ok(minutes > 9 && minutes < 11, `confirm is valid for ${minutes} minutes`);
    return erasure;
  }

  const land = async (link: string) => await sendClip(link, mute, { responseSessionId: await beginResponse(link) });
  const feedOf = async (projectId: string) =>
    ok(await ada.ask(`/api/events?limit=200&projectId=${projectId}`)).events as Record<string, unknown>[];

  /** Waits until clips have their media and the feed has every event of them. */
  async function settled(projectId: string, clips: number): Promise<void> {
    await until(
      'the media and the events of the clips',
      async () => {
        const found = await submissionsOf(ada, projectId);
        const done = (await feedOf(projectId)).filter(({ type }) => type === 'submission.media.completed');
        return found.every(({ mediaStatus }) => mediaStatus === 'ready') && done.length === clips;
      },
      SYSTEM_WAIT,
    );
  }

  async function twoClips(receiverUrl: string): Promise<{ project: ProjectCreatedJson; clips: [string, string] }> {
    const project = await ada.createProject({
      ...{ projectName: 'To erase', count: 3, sharedLinkEnabled: true, webhookUrl: receiverUrl },
      ...{ webhookEvents: ['link.recording'], recipients: [PERSON, { name: 'Ben' }] },
    });
    const [first, second] = project.recipientUrls.map(({ recipientUrl }) => recipientUrl);
    const clips: [string, string] = [await land(first!), await land(second!)];
    await settled(project.projectId, 2);
    return { project, clips };
  }

  describe('an owner’s erasure', () => {
    test('of a submission takes two requests, proves itself, and erases the person of the link', async () => {
      await using receiver = await startReceiver();
      const { project, clips } = await twoClips(receiver.url);
      const { projectId } = project;
      const path = pathOf(projectId, clips[0]);
      const { confirm, counts } = await proposed(path);
      assert.deepEqual([counts.submissions, counts.uploads, counts.people, counts.links], [1, 1, 1, 0]);
      assert.ok(counts.objects! > 0 && counts.objectBytes > 0 && counts.events >= 3 && counts.webhookBodies >= 2);
      assert.equal((await submissionsOf(ada, projectId)).length, 2, 'a proposal erases nothing');
      const done: ErasureJson = ok(await post(path, { confirm }));
      fits(done, 'Erasure');
      assert.deepEqual([done.state, done.left, done.counts.submissions, done.counts.people], ['erased', 0, 1, 1]);
      assert.ok(Date.parse(done.recordsEndAt!) - Date.now() > 7 * 86_400_000);
      refused(await ada.ask(path), 404);
      const [link] = ok(await ada.ask(`${pathOf(projectId)}/links`)).recipientUrls;
      assert.deepEqual([link.recipient, link.state], [null, 'sent']);
      const events = (await feedOf(projectId)).filter(
        ({ tokenId, type }) => tokenId === link.tokenId && type !== 'response.completed',
      );
      assert.ok(events.length >= 3);
      for (const { type, erased, data } of events.filter(({ type }) => type !== 'submission.erased'))
        assert.deepEqual([erased, data], [true, null], String(type));
      const again: ErasureJson = ok(await post(path, { confirm }));
      assert.deepEqual([again.state, again.erasedAt, again.counts.submissions], ['erased', done.erasedAt, 0]);
      assert.equal(ok(await post(path)).state, 'erased');
      assert.equal((await submissionsOf(ada, projectId)).length, 1);
    });

    test('is refused without the scope, for another owner, and with a value for something else', async () => {
      const { projectId, recipientUrls } = await ada.createProject({ projectName: 'To keep', count: 1 });
      const clip = await land(recipientUrls[0]!.recipientUrl);
      const [path, ofClip] = [pathOf(projectId), pathOf(projectId, clip)];
      const { secret } = await system.accounts.createToken(ada.userId, {
        scopes: ['projects:write', 'submissions:read'],
      });
      for (const at of [path, ofClip]) {
        refused(await ada.ask(`${at}/erase`, { method: 'POST', token: secret }), 403, 'scope_missing');
        refused(await post(at, undefined, bob), 404, 'not_found');
        const { confirm } = await proposed(at);
        refused(await post(at, { confirm }, bob), 404, 'not_found');
      }
      const values = {
        project: (await proposed(path)).confirm,
        clip: (await proposed(ofClip)).confirm,
        bob: ok(await post(pathOf(bobs.projectId), undefined, bob)).confirm,
        changed: (await proposed(path)).confirm.replace(/.(?=.{10}$)/, each => (each === 'A' ? 'B' : 'A')),
        nonsense: 'erase',
      };
      for (const [name, confirm] of Object.entries(values)) {
        if (name !== 'project') refused(await post(path, { confirm }), 409, 'erasure_unconfirmed');
        if (name !== 'clip') refused(await post(ofClip, { confirm }), 409, 'erasure_unconfirmed');
      }
      for (const body of [{ confirm: '' }, { confirm: 1 }, { confirm: null }, { yes: true }])
        refused(await post(path, body), 400, 'value_invalid');
      assert.equal((await submissionsOf(ada, projectId)).length, 1);
      refused(await bob.ask(`${path}/erasure`), 404, 'not_found');
      const state = ok(await ada.ask(`${path}/erasure`));
      assert.deepEqual([state.state, state.confirm], ['proposed', null]);
    });

    test('of a link closes it for good, and erases its person, clip and past events', async () => {
      await using receiver = await startReceiver();
      const { project, clips } = await twoClips(receiver.url);
      const { projectId, recipientUrls, sharedLink } = project;
      const [first, second] = recipientUrls;
      const linkOf = (tokenId: string) => `${pathOf(projectId)}/links/${tokenId}`;
      const path = linkOf(first!.tokenId);
      refused(await post(path, undefined, bob), 404, 'not_found');
      refused(await post(linkOf(sharedLink!.tokenId)), 422, 'unprocessable');
      const { confirm, counts, tokenId } = await proposed(path);
      assert.equal(tokenId, first!.tokenId);
      assert.deepEqual([counts.links, counts.people, counts.submissions, counts.responses], [1, 1, 1, 1]);
      assert.ok(counts.objects! > 0 && counts.webhookBodies >= 2 && counts.events >= 3);
      refused(await post(linkOf(second!.tokenId), { confirm }), 409, 'erasure_unconfirmed');
      refused(await post(pathOf(projectId), { confirm }), 409, 'erasure_unconfirmed');
      assert.ok([200, 202].includes((await post(path, { confirm })).status));
      const done = await until(
        'the end of the erasure',
        async () => {
          const state: ErasureJson = ok(await post(path));
          return state.state === 'erased' && state;
        },
        SYSTEM_WAIT,
      );
      fits(done, 'Erasure');
      assert.deepEqual([done.left, done.counts.submissions, done.counts.people], [0, 1, 1]);
      assert.ok(done.counts.webhookBodies >= 2 && done.counts.events >= 3 && done.counts.objects! > 0);
      assert.deepEqual(
        (await submissionsOf(ada, projectId)).map(({ submissionId }) => submissionId),
        [clips[1]],
      );
      const links = ok(await ada.ask(`${pathOf(projectId)}/links`)).recipientUrls;
      const link = links.find((each: { tokenId: string }) => each.tokenId === first!.tokenId);
      assert.deepEqual([link.recipient, link.state, link.status, link.dueAt], [null, 'closed', 'disabled', null]);
      refused(await ada.ask(path, { method: 'PATCH', json: { disabled: false } }), 410);
      await assert.rejects(beginResponse(first!.recipientUrl));
      const others = ['response.completed', 'submission.erased'];
      const events = (await feedOf(projectId)).filter(({ tokenId }) => tokenId === first!.tokenId);
      for (const { type, erased, data } of events.filter(({ type }) => !others.includes(String(type))))
        assert.deepEqual([erased, data], [true, null], String(type));
    });

    test('of a project ends recordings and exports, and happens once however often it is requested', async () => {
      await using receiver = await startReceiver();
      const { project } = await twoClips(receiver.url);
      const { projectId, projectToken, recipientUrls } = project;
      const path = pathOf(projectId);
      const before = ok(await ada.ask('/api/me')).videosReserved;
      const { confirm, counts } = await proposed(path);
      assert.deepEqual([counts.submissions, counts.links, counts.people, counts.objects], [2, 4, 2, null]);
      assert.equal(counts.videosReleased, 101);
      assert.ok(counts.webhookBodies >= 4 && counts.events >= 6 && counts.objectBytes > 0);
      const open = recipientUrls[2]!.recipientUrl;
      const metadata = { responseSessionId: await beginResponse(open), filetype: mute.mimeType };
      const { url } = await createUpload(`${open}/uploads`, { metadata, length: mute.bytes.length });
      const exporting = ada.ask(`${path}/export/project.zip`).catch(() => undefined);
      const twice = await Promise.all([post(path, { confirm }), post(path, { confirm })]);
      for (const answer of twice) {
        assert.ok([200, 202].includes(answer.status), answer.what);
        if (answer.status === 202) assert.equal(answer.headers.get('location'), `${path}/erasure`);
        fits(answer.json(), 'Erasure');
      }
      await exporting;
      const done = await until(
        'the end of the erasure',
        async () => {
          const state: ErasureJson = ok(await ada.ask(`${path}/erasure`));
          return state.state === 'erased' && state;
        },
        SYSTEM_WAIT,
      );
      assert.equal(done.left, 0);
      assert.deepEqual([done.counts.submissions, done.counts.links, done.counts.people], [2, 4, 2]);
      assert.ok(done.counts.webhookBodies >= 4 && done.counts.events >= 6 && done.counts.objects! > 0);
      assert.equal(before - ok(await ada.ask('/api/me')).videosReserved, 101);
      for (const at of [path, `${path}/links`, `${path}/submissions`, `${path}/export.json`])
        refused(await ada.ask(at), 404);
      refused(await ask(`/project/${projectToken}/export.json`), 404);
      const body = mute.bytes;
      const late = await tusRequest(url, 'PATCH', { 'Upload-Offset': '0' }, body);
      assert.ok([404, 410].includes(late.status), `a recording is refused, not with ${late.status}`);
      for (const { erased, data, tokenId } of await feedOf(projectId))
        assert.deepEqual([erased, data, tokenId], [true, null, null]);
      assert.deepEqual(ok(await post(path)), done, 'an erased project shows its proof');
      assert.deepEqual(ok(await post(path, { confirm })), done);
      refused(await post(path, undefined, bob), 404, 'not_found');
      const { projects } = ok(await ada.ask('/api/projects'));
      assert.ok(!projects.some((each: { projectId: string }) => each.projectId === projectId));
    });
  });
}
