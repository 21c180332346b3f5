import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MediaKind } from '@recording-request/proto/submissions/v1/submissions';
import { landed, object } from '../../../test/landed-submission.ts';
import type { Submission } from '../../domain/clips/submission.ts';
import { getMedia } from './get-media.ts';

const KEY = { ownerId: 'o1', projectId: 'p1', submissionId: 's1', kind: MediaKind.MEDIA_KIND_VIDEO };

async function nameOf(
  fields: Partial<Submission>,
  getProject: () => Promise<{ projectName: string }>,
): Promise<string> {
  const context = {
    config: { presignSeconds: 60 },
    submissions: { findObjects: async () => landed({ video: object('video'), ...fields }) },
    objects: { presignGet: async () => 'https://store.example/video' },
    projects: { getProject },
  };
  return (await getMedia(context as never)(KEY)).fileName;
}
const stories = async () => ({ projectName: 'Stories: 2026/27' });

test("a video's file name has its project, the number of its link and its question", async () => {
  const answer = { link: { position: 3 }, interview: true, questionIndex: 1, questionText: 'What is new?' };
  assert.equal(await nameOf(answer, stories), 'Stories 2026 27 - Link 3 - Question 2 What is new - video.webm');
  assert.equal(await nameOf({ link: { position: 12 } }, stories), 'Stories 2026 27 - Link 12 - video.webm');
});

test('a clip of a shared link is named by its time, even when its number is not known', async () => {
  for (const link of [{ position: 0 }, undefined])
    assert.equal(await nameOf({ link }, stories), 'Stories 2026 27 - 2026-01-02 03.04.05 - video.webm');
});

test("bytes are served without the project's name when it does not arrive in time", async () => {
  const away = () => Promise.reject(new Error('away'));
  assert.equal(await nameOf({ link: { position: 3 } }, away), 'Link 3 - video.webm');
});
