import assert from 'node:assert/strict';
import { test } from 'node:test';
import { landed, now, object } from '../../../test/landed-submission.ts';
import type { Change, Submission } from '../clips/submission.ts';
import { newJob } from './job.ts';
import { type Claim, onJobBegun, onJobGivenBack, onJobOverdue, onJobPublished, onJobTaken } from './job-changes.ts';

const DAY_MS = 86_400_000;
const limits = { attemptsMax: 5, leaseMs: 30_000, stuckMs: 900_000 };
const after = (ms: number) => new Date(now.getTime() + ms);
const claim = (holder: string, requestNumber = 0): Claim => ({ kind: 'media', requestNumber, holder });
const away = { uncounted: true, problem: 'The store is away.', afterMs: 0, atOnce: false };
const applied = (submission: Submission, change: Change | undefined): Submission => ({ ...submission, ...change?.set });
const published = () => applied(landed(), onJobPublished(landed(), now));
const begun = (submission: Submission, holder: string, at: Date) =>
  applied(submission, onJobBegun(submission, claim(holder), limits, at).change);
const spoken = (fields: Partial<Submission> = {}) =>
  landed({
    ...{ mediaStatus: 'ready', audio: object('audio'), transcriptRequest: 1 },
    ...{ job: { ...newJob('transcript', now), state: 'published', publishedAt: now }, ...fields },
  });

test('a job that waits is published with its request, once', () => {
  const change = onJobPublished(landed(), now)!;
  assert.deepEqual([change.set.job?.state, change.set.job?.publishedAt], ['published', now]);
  assert.deepEqual(
    change.events.map(({ type }) => type),
    ['submission.media.requested'],
  );
  assert.equal(onJobPublished(applied(landed(), change), after(1)), undefined);
});

test('a job whose upload is not there any more fails, so that those behind it are published', () => {
  const { set, events } = onJobPublished(landed({ source: undefined, video: object('video') }), now)!;
  assert.deepEqual([set.mediaStatus, set.transcriptStatus, set.job], ['failed', 'failed', undefined]);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['submission.media.failed', 'submission.transcript.failed'],
  );
});

test('one worker at a time has a job: another one comes later, and after its lease at once', () => {
  const running = begun(published(), 'one', now);
  assert.equal(running.job?.attempts, 1);
  assert.deepEqual(onJobBegun(running, claim('two'), limits, after(10_000)).verdict, { laterMs: 20_000 });
  const taken = onJobBegun(running, claim('two'), limits, after(30_000));
  assert.equal(taken.verdict, 'go');
  assert.deepEqual([taken.change?.set.job?.holder, taken.change?.set.job?.attempts], ['two', 2]);
});

test('a worker that asks again because the answer was lost has begun once, at the last attempt too', () => {
  let submission = published();
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    submission = begun(submission, `${attempt}`, after(attempt * 31_000));
    const again = onJobBegun(submission, claim(`${attempt}`), limits, after(attempt * 31_000 + 1_000));
    assert.equal(again.verdict, 'go', `at attempt ${attempt}`);
    submission = applied(submission, again.change);
    assert.deepEqual([submission.job?.attempts, submission.mediaStatus], [attempt, 'processing']);
  }
});

test('there is nothing to begin once the work has ended, was asked for again, or is paused', () => {
  assert.equal(onJobBegun(landed({ job: undefined }), claim('one'), limits, now).verdict, 'drop');
  assert.equal(onJobBegun(spoken(), claim('one'), limits, now).verdict, 'drop', 'the media is made');
  const old: Claim = { kind: 'transcript', requestNumber: 1, holder: 'one' };
  assert.equal(onJobBegun(spoken(), old, limits, now).verdict, 'go');
  assert.equal(onJobBegun(spoken({ transcriptRequest: 2 }), old, limits, now).verdict, 'drop');
  const running = begun(published(), 'one', now);
  const paused = applied(running, onJobGivenBack(running, claim('one'), away, limits, now));
  assert.equal(onJobBegun(paused, claim('one'), limits, after(1_000)).verdict, 'drop');
});

test('a request whose deadline passed in the queue can be begun', () => {
  const overdue = applied(published(), onJobOverdue(published(), limits, after(900_001)));
  assert.deepEqual([overdue.job?.state, overdue.job?.attempts], ['waiting', 0], 'not begun: no attempt');
  assert.equal(onJobBegun(overdue, claim('one'), limits, after(900_002)).verdict, 'go');
});

test('a clip that kills its workers fails with a sentence after the last attempt', () => {
  let submission = published();
  for (let attempt = 1; attempt <= 5; attempt += 1)
    submission = begun(submission, `${attempt}`, after(attempt * 31_000));
  assert.equal(submission.job?.attempts, 5);
  const last = onJobBegun(submission, claim('six'), limits, after(6 * 31_000));
  assert.equal(last.verdict, 'drop');
  assert.equal(last.change?.set.mediaStatus, 'failed');
  assert.match(last.change.set.mediaError!, /several tries; the upload is kept as it came\.$/);
  assert.equal(onJobOverdue(submission, limits, after(7 * 31_000))?.set.mediaStatus, 'failed', 'nor without a worker');
});

test('an outage for six hours counts no attempt, and pauses longer and longer, at most ten minutes', () => {
  let submission = published();
  const pauses: number[] = [];
  let at = now;
  while (at.getTime() < now.getTime() + 6 * 3_600_000) {
    submission = begun(submission, 'one', at);
    submission = applied(submission, onJobGivenBack(submission, claim('one'), away, limits, at));
    assert.equal(submission.mediaStatus, 'processing');
    assert.deepEqual([submission.job?.attempts, submission.job?.state], [0, 'waiting']);
    pauses.push(submission.job!.dueAt.getTime() - at.getTime());
    at = submission.job!.dueAt;
    submission = applied(submission, onJobPublished(submission, at));
  }
  assert.deepEqual(pauses.slice(0, 4), [5_000, 10_000, 20_000, 40_000]);
  assert.equal(pauses.at(-1), 600_000);
  assert.equal(submission.job?.problem, 'The store is away.');
});

test('trouble that lasts a week ends with a sentence; a job that only waited that long does not', () => {
  const late = after(30 * DAY_MS);
  const waited = begun(published(), 'one', late);
  const once = applied(waited, onJobGivenBack(waited, claim('one'), away, limits, late));
  assert.equal(once.mediaStatus, 'processing');
  const again = begun(applied(once, { set: { job: { ...once.job!, state: 'published' } }, events: [] }), 'one', late);
  const change = onJobGivenBack(again, claim('one'), away, limits, new Date(late.getTime() + 8 * DAY_MS));
  assert.match(change!.set.mediaError!, /for 7 days/);
});

test('an attempt that failed by itself counts; a provider that names a pause gets it', () => {
  let submission = published();
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    submission = begun({ ...submission, job: { ...submission.job!, state: 'published' } }, 'one', now);
    const giving = { ...away, uncounted: false, afterMs: 1_200_000 };
    submission = applied(submission, onJobGivenBack(submission, claim('one'), giving, limits, now));
    if (attempt === 1) assert.deepEqual(submission.job?.dueAt, after(1_200_000));
  }
  assert.equal(submission.mediaStatus, 'failed');
});

test('a worker that stops leaves its job to the next one at once; one without a claim gives nothing back', () => {
  const running = begun(published(), 'one', now);
  const left = applied(running, onJobGivenBack(running, claim('one'), { ...away, atOnce: true }, limits, now));
  assert.deepEqual([left.job?.state, left.job?.attempts, left.job?.givenBack], ['published', 0, 0]);
  assert.equal(onJobBegun(left, claim('two'), limits, now).verdict, 'go');
  assert.equal(onJobGivenBack(running, claim('two'), away, limits, now), undefined);
});

test('a worker without work takes what was published and not begun, as its request would have been', () => {
  const taker = { kind: 'media' as const, holder: 'idle' };
  const { request, change } = onJobTaken(published(), taker, limits, now);
  assert.equal(request?.type, 'submission.media.requested');
  assert.deepEqual([change?.set.job?.holder, change?.set.job?.attempts], ['idle', 1]);
  for (const other of [landed(), begun(published(), 'one', now)])
    assert.deepEqual(onJobTaken(other, taker, limits, now), {}, 'nothing else');
});

test('a transcript is processing while it is worked on, and pending again when it is given back', () => {
  const asked: Claim = { kind: 'transcript', requestNumber: 1, holder: 'one' };
  const running = applied(spoken(), onJobBegun(spoken(), asked, limits, now).change);
  assert.equal(running.transcriptStatus, 'processing');
  assert.equal(onJobGivenBack(running, asked, away, limits, now)?.set.transcriptStatus, 'pending');
  assert.equal(onJobOverdue(running, limits, after(61_000))?.set.transcriptStatus, 'pending');
});
