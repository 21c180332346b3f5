import { UNKNOWN_EVENT } from '@recording-request/events/event';
import { at, clip, type Into, OWNER, PROJECT, upload } from './stored-clips.ts';

export const CLIPS = 900;
export const OPEN_UPLOADS = 200;

const job = (index: number, fields: object) => ({
  ...{ kind: 'media', state: 'waiting', since: at(index), dueAt: at(index), attempts: 0, givenBack: 0 },
  ...fields,
});

/** Fills every collection with many documents. The tests' queries match few of them. */
export async function fill(into: Into): Promise<void> {
  const now = new Date();
  const later = new Date(now.getTime() + 60_000);
  const future = new Date(Date.now() + 86_400_000);
  const other = { projectId: 'other', responseId: 'x' };
  const jobs: object[] = [
    ...Array.from({ length: 100 }, (_, index) => job(index, { dueAt: future })),
    ...Array.from({ length: 3 }, (_, index) => job(index, { state: 'running', holder: 'x' })),
    ...Array.from({ length: 3 }, (_, index) => job(index, { state: 'running', holder: 'worker', dueAt: future })),
    job(3, { givenBack: 2 }),
  ];
  const event = { id: 'e', topic: 't', key: 'k', at: now, value: Buffer.from('v') };
  await Promise.all([
    into('submissions', CLIPS, index => clip(index, { ...(index === 30 ? { outbox: [event] } : {}) })),
    into('submissions', jobs.length, index =>
      clip(5_000 + index, { ...other, questionIndex: index, mediaStatus: 'processing', job: jobs[index] }),
    ),
    into('submissions', 300, index => ({
      ...{ _id: `tombstone ${index}`, projectId: PROJECT, linkId: '', responseId: `t${index}`, questionIndex: 0 },
      ...{ erasedAt: now, purgeAt: index < 2 ? at(0) : future, revision: 0, outbox: [] },
    })),
    into('uploads', 300, index => upload(index)),
    into('uploads', OPEN_UPLOADS, index =>
      upload(1_000 + index, { state: 'uploading', length: 50, slot: 0, lastByteAt: now }),
    ),
    into('uploads', 20, index =>
      upload(2_000 + index, {
        ...{ state: 'finishing', length: 5, nextTryAt: future, failures: index < 5 ? 1 : 0 },
        finishingAt: at(index),
      }),
    ),
    into('uploads', 30, index =>
      upload(2_100 + index, { state: 'refused', lastByteAt: now, refusal: index < 2 ? 'failed' : 'not_video' }),
    ),
    // A contributor who has many takes, some of them open.
    into('uploads', 60, index =>
      upload(3_000 + index, {
        ...{ linkId: 'busy', responseId: 'busy', lastByteAt: now, slot: index },
        state: ['uploading', 'finishing'][index] ?? 'deleted',
        nextTryAt: future,
      }),
    ),
    // A project that is being erased.
    into('uploads', 200, index =>
      upload(4_000 + index, {
        projectId: 'erased',
        emptied: index < 190 || undefined,
        state: 'deleted',
        lastByteAt: now,
      }),
    ),
    into('upload_parts', 100, index => ({ _id: `page ${index}`, uploadId: `upload ${index}`, parts: [] })),
    into('notes', 100, index => ({ _id: `note ${index}`, projectId: 'noted', note: 'x', at: now })),
    into('erasures', 100, index => ({ _id: `project ${index}`, at: now, purgeAt: index < 2 ? at(0) : future })),
    into('archives', 300, index => ({
      ...{ _id: `archive ${index}`, ownerId: OWNER, projectId: index < 3 ? 'archived' : `archived ${index}` },
      ...{
        selection: 'all',
        fingerprint: 'x',
        hasSources: true,
        begunAt: at(index),
        expiresAt: index < 2 ? at(0) : future,
      },
    })),
    into('archive_pages', 300, index => ({
      _id: `archive ${index}/1`,
      archiveId: `archive ${index}`,
      offset: 0,
      videos: [],
    })),
    into('deadLetters', 100, index => ({
      ...(index % 2 ? { reason: UNKNOWN_EVENT, retryAt: later } : {}),
      ...{ _id: `letter ${index}`, at: now, projectId: `project ${index}`, submissionId: `submission ${index}` },
      ...(index % 30 === 0 ? { key: Buffer.alloc(1), value: Buffer.alloc(1) } : { droppedAt: now }),
    })),
  ]);
}
