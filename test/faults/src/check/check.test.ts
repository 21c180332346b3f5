import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProjectLinksJson, ProjectStatsJson } from '@recording-request/contract/resources/project';
import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import type { Entry, Outcome } from '../contributors/ledger.ts';
import type { Project } from '../owner/owner.ts';
import type { Delivered, Receiver } from '../owner/receiver.ts';
import { endViolations, eventViolations, takeViolations } from './clips.ts';
import { countViolations } from './counts.ts';
import { NOTHING_EXPECTED } from './expectations.ts';
import { orderViolations } from './order.ts';

const LINK = 'http://gateway.test/r/vr_link';

function entry(sha256: string, outcome: Outcome = 'ok', more: Partial<Entry> = {}): Entry {
  const take = { bytes: Buffer.alloc(0), sha256, mimeType: 'video/webm', speaks: true, pictures: '' };
  const place = { projectId: 'project', link: LINK, responseSessionId: `response of ${sha256}`, questionIndex: 0 };
  return { take, ...place, outcome, submissionId: undefined, why: '', ...more };
}

function clip(sha256: string, more: Partial<SubmissionJson> = {}): SubmissionJson {
  const final = { mediaStatus: 'ready', transcriptStatus: 'completed', responseSessionId: null } as const;
  return {
    submissionId: `clip ${sha256}`,
    projectId: 'project',
    tokenId: 'link',
    sha256,
    ...final,
    ...more,
  } as SubmissionJson;
}

test('the checker reports a take that was lost, duplicated, or landed although it was refused', () => {
  assert.deepEqual(takeViolations([clip('a'), clip('b')], [entry('a'), entry('b'), entry('c', 'unknown')]), []);
  const lost = takeViolations([], [entry('a')]);
  assert.match(lost.join(), /exists 0 times, not once/);
  const twice = [clip('a'), clip('a', { submissionId: 'another' })];
  assert.match(takeViolations(twice, [entry('a')]).join(), /exists 2 times, not once/);
  assert.match(takeViolations(twice, [entry('a', 'unknown')]).join(), /exists 2 times/);
  assert.match(takeViolations([clip('a')], [entry('a', 'failed')]).join(), /was refused but exists/);
});

test('the checker reports an erased clip that still exists, but accepts its earlier events and counts', () => {
  const erased = entry('a', 'ok', { erased: true, submissionId: 'clip a' });
  assert.deepEqual(takeViolations([], [erased]), []);
  assert.match(takeViolations([clip('a')], [erased]).join(), /was erased but exists/);
  const heard = { id: '1', type: 'submission.completed', projectId: 'project', submissionId: 'clip a', times: 1 };
  const receiver = { violations: [] as string[], events: new Map([['1', heard]]) } as unknown as Receiver;
  assert.deepEqual(eventViolations([], receiver, [erased]), []);
  assert.match(eventViolations([], receiver, []).join(), /got an event about a missing submission/);
});

test('the checker reports bytes that no client sent, a wrong project, and a wrong id', () => {
  assert.match(takeViolations([clip('x')], []).join(), /bytes that no client sent/);
  assert.match(takeViolations([clip('a', { projectId: 'other' })], [entry('a')]).join(), /in another project/);
  const reported = entry('a', 'ok', { submissionId: 'clip z' });
  assert.match(takeViolations([clip('a')], [reported]).join(), /was reported as submission clip z but is clip a/);
});

test('the checker reports media and transcripts that are not final or have a wrong end', () => {
  const project = { transcription: true } as Project;
  const see = (more: Partial<SubmissionJson>, expected = NOTHING_EXPECTED) =>
    endViolations([clip('a', more)], project, [entry('a')], expected).join();
  assert.equal(see({}), '');
  assert.match(see({ mediaStatus: 'processing' }), /media of clip a is not final/);
  assert.match(see({ mediaStatus: 'failed' }), /media of clip a failed/);
  assert.equal(see({ mediaStatus: 'failed' }, { ...NOTHING_EXPECTED, mediaMayFail: true }), '');
  assert.match(see({ transcriptStatus: 'pending' }), /transcript of clip a is not final/);
  assert.match(see({ transcriptStatus: 'failed' }), /transcript of clip a failed/);
  assert.match(see({ transcriptStatus: null }), /has speech but no transcript/);
});

test('the checker reports events that are missing, have two ids, or are about a missing submission', () => {
  const event = (id: string, type: string): Delivered => ({
    id,
    type,
    projectId: 'project',
    submissionId: 'clip a',
    at: new Date(0),
    times: 2,
  });
  const see = (clips: SubmissionJson[], ...events: Delivered[]) => {
    const receiver = {
      violations: [] as string[],
      events: new Map(events.map(it => [it.id, it])),
    } as unknown as Receiver;
    return eventViolations(clips, receiver).join();
  };
  const landed = event('1', 'submission.completed');
  const transcribed = event('2', 'submission.transcript.completed');
  assert.equal(see([clip('a')], landed, transcribed), '');
  assert.match(see([clip('a')], transcribed), /submission.completed of clip a: 0 distinct/);
  assert.match(see([clip('a')], landed, event('3', 'submission.completed'), transcribed), /of clip a: 2 distinct/);
  assert.match(see([clip('a')], landed), /the transcript's event of clip a: 0 distinct/);
  assert.match(
    see([clip('a', { transcriptStatus: 'disabled' })], landed, transcribed),
    /transcript's event of clip a: 1/,
  );
  assert.match(see([], landed), /got an event about a missing submission/);
});

test('the checker reports uses and counts that do not match the clips', () => {
  const see = (link: object, stats: object, entries: Entry[], expected = NOTHING_EXPECTED) => {
    const shared = { tokenId: 'link', maxUses: 3, remainingUses: 2, submissionCount: 1, recipientUrl: LINK, ...link };
    const links = { projectId: 'project', sharedLink: shared, recipientUrls: [] } as unknown as ProjectLinksJson;
    const figures = { videosCreated: 1, responseSlotsUsed: 1, ...stats } as ProjectStatsJson;
    return countViolations([clip('a')], links, figures, entries, expected).join();
  };
  const landed = [entry('a')];
  const left = [...landed, entry('b', 'unknown')];
  assert.equal(see({}, {}, landed), '');
  assert.match(see({ remainingUses: -1 }, {}, landed), /has -1 uses left/);
  assert.match(see({ remainingUses: 3 }, {}, landed), /counts 1 uses fewer than responses landed/);
  assert.match(see({ submissionCount: 2 }, {}, landed), /counts 2 clips but has 1/);
  assert.match(
    see({ remainingUses: 1 }, { responseSlotsUsed: 2 }, landed),
    /has 1 claimed uses and 1 landed ones, but at most 0/,
  );
  assert.equal(see({ remainingUses: 1 }, { responseSlotsUsed: 2 }, left), '');
  const ended = { ...NOTHING_EXPECTED, holdsEnd: true };
  assert.match(see({ remainingUses: 1 }, { responseSlotsUsed: 2 }, left, ended), /at most 0 can be claimed/);
  assert.match(see({}, { videosCreated: 2 }, landed), /counts 2 videos but has 1/);
  assert.match(see({}, { responseSlotsUsed: 0 }, landed), /counts 0 responses but its links count 1/);
});

test('the checker reports two events of a submission in the wrong order, but accepts a repetition', () => {
  const seen = (id: string, submissionId: string, second: number) => ({
    ...{ id, submissionId, type: `event ${id}` },
    at: new Date(second * 1_000),
  });
  const [landed, transcribed, other] = [seen('1', 'clip a', 1), seen('2', 'clip a', 2), seen('3', 'clip b', 0)];
  assert.deepEqual(orderViolations([landed, transcribed, other, landed], 'here'), []);
  assert.deepEqual(orderViolations([transcribed, other, landed], 'here'), [
    'here: event 1 of clip a came after event 2, which occurred later',
  ]);
});
