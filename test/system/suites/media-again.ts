import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ok, refused } from '@recording-request/harness/http-client';
import { testClip } from '@recording-request/testing/clip';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { until } from '@recording-request/testing/wait';
import { admin } from '../harness/admin.ts';
import { SYSTEM_WAIT } from '../harness/limits.ts';
import type { SeedData } from '../harness/seed.ts';
import type { Stores } from '../harness/stores.ts';

const DAMAGED = 'The clip is damaged.';
const MINUTE_MS = 60_000;

/** Tests the retry of failed media by the owner and by the operator. */
export function mediaAgain({ ada, bob, system }: SeedData, stores: Stores): void {
  describe('retry of media', () => {
    let path = '';
    let id = '';
    const clip = async () => ok(await ada.ask(path));
    const isWhole = async () => {
      const { mediaStatus, transcriptStatus, audioUrl } = await clip();
      return mediaStatus === 'ready' && transcriptStatus === 'completed' && audioUrl !== null;
    };

    /** Changes the clip's record as if its media and its transcript had failed. Keeps the upload. */
    async function fail(): Promise<void> {
      const rows = stores.collection('submissions', 'submissions');
      const { video } = (await rows.findOne({ _id: id })) as unknown as { video: { key: string } };
      const key = video.key.replace(/[^/]+$/, 'source');
      await stores.copy(video.key, key);
      const failed = {
        mediaStatus: 'failed',
        mediaError: DAMAGED,
        transcriptStatus: 'failed',
        transcriptError: DAMAGED,
      };
      const set = { ...failed, source: { ...video, key }, thumbnails: [] };
      await rows.updateOne({ _id: id }, { $set: set, $unset: { video: 1, audio: 1, transcriptText: 1 } });
    }

    test('only the owner can retry media, and the transcript with it', async () => {
      const project = await ada.createProject({ projectName: 'Again', count: 1, transcriptionEnabled: true });
      const link = project.recipientUrls[0]!.recipientUrl;
      const speech = await testClip({ container: 'webm', text: 'please open the door', width: 320, height: 180 });
      id = await sendClip(link, speech, { responseSessionId: await beginResponse(link) });
      path = `/api/projects/${project.projectId}/submissions/${id}`;
      await until('its media and transcript', isWhole, SYSTEM_WAIT);
      refused(await ada.ask(`${path}/media`, { method: 'POST' }), 409, 'media_not_failed');
      await fail();
      assert.equal((await clip()).mediaError, DAMAGED);
      refused(await bob.ask(`${path}/media`, { method: 'POST' }), 404);
      const requested = ok(await ada.ask(`${path}/media`, { method: 'POST' }));
      assert.deepEqual(
        [requested.mediaStatus, requested.mediaError, requested.transcriptStatus],
        ['processing', null, 'pending'],
      );
      await until('its media and transcript', isWhole, SYSTEM_WAIT);
    });

    test('an operator retries the media of a time range after a preview', async () => {
      await fail();
      const { createdAt } = await clip();
      const [from, to] = [-MINUTE_MS, MINUTE_MS].map(ms => new Date(Date.parse(createdAt) + ms).toISOString());
      const retry = ['media', 'retry', '--from', from!, '--to', to!, '--status', 'failed'];
      const preview = await admin(system, ...retry, '--dry-run');
      assert.equal(preview.code, 0, preview.stderr);
      assert.match(preview.stdout, new RegExp(`^${id} .*${DAMAGED}`, 'm'));
      assert.match(preview.stdout, /the media of 1 would be made again; 0 skipped$/m);
      assert.equal((await clip()).mediaStatus, 'failed', 'a preview changes nothing');
      const retried = await admin(system, ...retry);
      assert.match(retried.stdout, /the media of 1 are made again; 0 skipped$/m, retried.stderr);
      await until('its media and transcript', isWhole, SYSTEM_WAIT);
      assert.match((await admin(system, ...retry)).stdout, /the media of 0 are made again/);
    });
  });
}
