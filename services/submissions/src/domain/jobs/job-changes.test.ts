import assert from 'node:assert/strict';
import { test } from 'node:test';
import { landed, now, object } from '../../../test/landed-submission.ts';
import type { Change, Submission } from '../clips/submission.ts';
import { newJob } from './job.ts';
import { type Claim, onJobGivenBack, onJobOverdue, onJobTaken } from './job-changes.ts';

const DAY_MS = 86_400_000;
const limits = { attemptsMax: 5, leaseMs: 30_000 };
const after = (ms: number) => new Date(now.getTime() + ms);
const claim = (holder: string, requestNumber = 0): Claim => ({ kind: 'media', requestNumber, holder });
const away = { uncounted: true, problem: 'The store is down.', afterMs: 0, atOnce: false };
const applied = (submission: Submission, change: Change | undefined): Submission => ({ ...submission, ...change?.set });
const typesOf = (change: Change | undefined) => change?.events.map(({ type }) => type);
const taken = (submission: Submission, holder: string, at: Date) => {
  const { isTaken, change } = onJobTaken(submission, claim(holder), limits, at);
  assert.equal(isTaken, true);
  return applied(submission, change);
};
const overdue = (submission: Submission, at: Date) => applied(submission, onJobOverdue(submission, limits, at));
/** Takes the job repeatedly, as if each worker died. */
function killed(times: number): Submission {
  let submission = landed();
  for (let attempt = 1; attempt <= times; attempt += 1)
    submission = overdue(taken(submission, `${attempt}`, after(attempt * 31_000)), after(attempt * 31_000 + 30_000));
  return submission;
}
const spoken = (fields: Partial<Submission> = {}) =>
  landed({
    ...{ mediaStatus: 'ready', audio: object('audio'), transcriptRequest: 1 },
    ...{ job: newJob('transcript', now), ...fields },
  });

test('a job without its upload fails and does not block the jobs behind it', () => {
  const gone = landed({ source: undefined, video: object('video') });
  const { isTaken, change } = onJobTaken(gone, claim('one'), limits, now);
  const { set, events } = change!;
  assert.deepEqual([isTaken, set.mediaStatus, set.transcriptStatus, set.job], [false, 'failed', 'failed', undefined]);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['submission.media.failed', 'submission.transcript.failed'],
  );
});

test('one worker at a time has a job: another one takes it when the lease has expired', () => {
  const running = taken(landed(), 'one', now);
  assert.deepEqual([running.job?.attempts, running.job?.dueAt], [1, after(30_000)]);
  assert.deepEqual(onJobTaken(running, claim('two'), limits, after(10_000)), { isTaken: false });
  assert.equal(onJobOverdue(running, limits, after(29_999)), undefined);
  const change = onJobOverdue(running, limits, after(30_000));
  assert.deepEqual(typesOf(change), ['submission.media.requested'], 'a worker is woken');
  const again = taken(applied(running, change), 'two', after(30_000));
  assert.deepEqual([again.job?.holder, again.job?.attempts, again.job?.runs], ['two', 2, 2]);
});

test('a worker that repeats its request because the response was lost has started once, even at the last attempt', () => {
  let submission = killed(4);
  submission = taken(submission, 'five', after(200_000));
  submission = taken(submission, 'five', after(201_000));
  assert.deepEqual(
    [submission.job?.attempts, submission.job?.runs, submission.mediaStatus, submission.job?.dueAt],
    [5, 5, 'processing', after(231_000)],
  );
});

test('no job starts when the work has ended, has another kind of job, or is paused', () => {
  const isTaken = (submission: Submission, at = now) => onJobTaken(submission, claim('one'), limits, at).isTaken;
  assert.equal(isTaken(landed({ job: undefined })), false);
  assert.equal(isTaken(spoken()), false, 'the media is made');
  const running = taken(landed(), 'one', now);
  const paused = applied(running, onJobGivenBack(running, claim('one'), away, limits, now));
  assert.equal(isTaken(paused, after(4_999)), false);
  assert.equal(isTaken(paused, after(5_000)), true);
  const reported = { ...running, job: { ...running.job!, state: 'reported' as const, dueAt: after(900_000) } };
  assert.equal(isTaken(reported, after(60_000)), false);
  assert.equal(onJobOverdue(reported, limits, after(899_999)), undefined, 'its result is reported');
  assert.equal(overdue(reported, after(900_000)).job?.state, 'waiting');
});

test('a job that waits is never overdue', () => {
  assert.equal(onJobOverdue(landed(), limits, after(30 * DAY_MS)), undefined);
});

test('a clip that crashes its workers fails with a sentence after the last attempt', () => {
  const four = killed(4);
  assert.equal(four.job?.attempts, 4);
  const last = onJobOverdue(taken(four, 'five', after(200_000)), limits, after(231_000));
  assert.deepEqual([last?.set.mediaStatus, last?.fault], ['failed', 'service']);
  assert.match(last?.set.mediaError ?? '', /several tries; the upload is kept as it came\.$/);
});

test('an outage for six hours counts no attempt, and pauses longer and longer, at most ten minutes', () => {
  let submission = landed();
  const pauses: number[] = [];
  let at = now;
  while (at.getTime() < now.getTime() + 6 * 3_600_000) {
    submission = taken(submission, 'one', at);
    submission = applied(submission, onJobGivenBack(submission, claim('one'), away, limits, at));
    assert.equal(submission.mediaStatus, 'processing');
    assert.deepEqual([submission.job?.attempts, submission.job?.state], [0, 'waiting']);
    pauses.push(submission.job!.dueAt.getTime() - at.getTime());
    at = submission.job!.dueAt;
  }
  assert.deepEqual(pauses.slice(0, 4), [5_000, 10_000, 20_000, 40_000]);
  assert.equal(pauses.at(-1), 600_000);
  assert.equal(submission.job?.problem, 'The store is down.');
  assert.equal(submission.job?.runs, pauses.length, 'later attempts are not in the first trace');
});

test('a job with problems for a week fails with a sentence; a job that only waited that long does not', () => {
  const late = after(30 * DAY_MS);
  const waited = taken(landed(), 'one', late);
  const once = applied(waited, onJobGivenBack(waited, claim('one'), away, limits, late));
  assert.equal(once.mediaStatus, 'processing');
  const later = new Date(late.getTime() + 8 * DAY_MS);
  const again = taken(once, 'one', later);
  assert.match(onJobGivenBack(again, claim('one'), away, limits, later)!.set.mediaError!, /for 7 days/);
});

test('an attempt that failed without an outage counts; the pause that a provider asks for is kept', () => {
  let submission = landed();
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const at = after(attempt * 1_200_000);
    submission = taken(submission, 'one', at);
    const giving = { ...away, uncounted: false, afterMs: 1_200_000 };
    submission = applied(submission, onJobGivenBack(submission, claim('one'), giving, limits, at));
    if (attempt === 1) assert.deepEqual(submission.job?.dueAt, after(2_400_000));
  }
  assert.equal(submission.mediaStatus, 'failed');
});

test('a worker that stops returns its job at once; a worker without a claim changes nothing', () => {
  const running = taken(landed(), 'one', now);
  const change = onJobGivenBack(running, claim('one'), { ...away, atOnce: true }, limits, now);
  assert.deepEqual(typesOf(change), ['submission.media.requested'], 'another worker is woken');
  const left = applied(running, change);
  assert.deepEqual([left.job?.state, left.job?.attempts, left.job?.givenBack], ['waiting', 0, 0]);
  taken(left, 'two', now);
  assert.equal(onJobGivenBack(running, claim('two'), away, limits, now), undefined);
});

test('a transcript is processing while a worker has its job, and pending again when the worker returns it', () => {
  const requested: Claim = { kind: 'transcript', requestNumber: 1, holder: 'one' };
  const running = applied(spoken(), onJobTaken(spoken(), requested, limits, now).change);
  assert.equal(running.transcriptStatus, 'processing');
  assert.equal(onJobGivenBack(running, requested, away, limits, now)?.set.transcriptStatus, 'pending');
  assert.equal(onJobGivenBack({ ...running, transcriptRequest: 2 }, requested, away, limits, now), undefined);
  assert.equal(onJobOverdue(running, limits, after(61_000))?.set.transcriptStatus, 'pending');
});
