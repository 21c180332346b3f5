import assert from 'node:assert/strict';
import { test } from 'node:test';
import { landed, now, object } from '../../../test/landed-submission.ts';
import type { Change, Submission } from '../../domain/clips/submission.ts';
import type { ProcessedMedia } from '../../domain/clips/submission-changes.ts';
import { recordMedia } from './record-media.ts';

const made: ProcessedMedia = {
  ...{ video: object('video'), audio: object('audio'), thumbnails: [object('a'), object('b'), object('c')] },
  ...{ durationSec: 12.5, hasSound: true, problem: undefined },
};

/** Records the result of a clip's media job. Returns the clip and the keys of the removed objects. */
async function recorded(changes: Partial<ProcessedMedia>): Promise<{ after: Submission; removed: string[] }> {
  let after = landed({ source: object('source') });
  const removed: string[] = [];
  const context = {
    jobs: { now: async () => now },
    submissions: {
      async change(_key: unknown, decide: (before: Submission) => Change | undefined) {
        after = { ...after, ...decide(after)?.set };
        return after;
      },
      async dropSource() {
        after = { ...after, source: undefined };
      },
    },
    objects: { remove: async (keys: string[]) => void removed.push(...keys) },
    archives: { holdsSources: async () => false },
    backupHold: { isHeld: async () => false },
    erasures: { find: async () => undefined },
  };
  const key = { projectId: after.projectId, submissionId: after.id };
  await recordMedia(context as never, key, { ...made, ...changes });
  return { after, removed };
}

test('the upload is removed once an equal video is stored and all media is made', async () => {
  const { after, removed } = await recorded({});
  assert.deepEqual([removed, after.source], [[object('source').key], undefined]);
});

test('the upload stays when it is the video, and when media must be made from it again', async () => {
  for (const changes of [{ video: undefined }, { audio: undefined }, { thumbnails: [] }]) {
    const { after, removed } = await recorded({ ...changes, problem: 'Why.' });
    assert.deepEqual([removed, after.source?.key], [[], object('source').key]);
    assert.equal(after.mediaError, 'Why.');
    assert.equal(after.mediaStatus, 'video' in changes ? 'ready' : 'failed');
  }
});
