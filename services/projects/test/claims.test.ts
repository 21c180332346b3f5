import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hashToken } from '@recording-request/contract/tokens';
import { LinkStatus } from '@recording-request/proto/projects/v1/projects';
import {
  begin,
  counters,
  land,
  newProject,
  outcomes,
  patch,
  refusedAs,
  session,
  startTestProjects,
  type TestProjects,
} from './test-service.ts';

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(() => running[Symbol.asyncDispose]());

const shared = { sharedLinkEnabled: true };

test('exactly 50 of 200 concurrent claims on a shared link with 50 uses succeed', async () => {
  const made = await newProject(running, { settings: { ...shared, sharedLinkMaxUses: 50 } });
  const linkId = made.sharedLink!.linkId;
  const counts = await outcomes(Array.from({ length: 200 }, () => begin(running, linkId)));
  assert.deepEqual(counts, { ok: 50, conflict: 150 });
  assert.deepEqual(await counters(running, linkId), { claimed: 50, landed: 0, submissionCount: 0, applied: 0 });
  assert.equal(await running.store.models.responses.countDocuments({ linkId }), 50, 'a refused claim leaves nothing');
});

test('a claim after its link was disabled is refused, however many claims are running', async () => {
  const made = await newProject(running, { settings: { ...shared, sharedLinkMaxUses: 1_000 } });
  const { linkId } = made.sharedLink!;
  const { ownerId, projectId } = made.project!;
  const earlier = Array.from({ length: 100 }, () => begin(running, linkId).catch(() => {}));
  await running.projects.updateLink({ ownerId, projectId, linkId, disabled: true });
  const later = await outcomes(Array.from({ length: 20 }, () => begin(running, linkId)));
  assert.deepEqual(later, { gone: 20 });
  const begun = (await Promise.all(earlier)).filter(Boolean).length;
  assert.equal((await counters(running, linkId)).claimed, begun);
});

test('a link is gone when all uses have landed, and busy when they are only claimed', async () => {
  const made = await newProject(running, { settings: { ...shared, sharedLinkMaxUses: 1 } });
  const linkId = made.sharedLink!.linkId;
  const response = await begin(running, linkId);
  await assert.rejects(begin(running, linkId), refusedAs('conflict', /try again later/));
  await land(running, linkId, response.responseSessionId);
  await assert.rejects(begin(running, linkId), refusedAs('gone', /used up/));
  const links = await running.projects.listLinks(patch(made.project, {}));
  assert.equal(links.sharedLink?.status, LinkStatus.LINK_STATUS_EXHAUSTED);
  assert.ok(links.sharedLink?.submittedAt);
});

test('the same session begun twice at the same time takes one use', async () => {
  const made = await newProject(running, { settings: { ...shared, sharedLinkMaxUses: 5 } });
  const linkId = made.sharedLink!.linkId;
  const id = session();
  const responses = await Promise.all(Array.from({ length: 20 }, () => begin(running, linkId, id)));
  assert.ok(responses.every(response => response.held && response.responseSessionId === id));
  assert.equal((await counters(running, linkId)).claimed, 1);
});

test('devices that begin at a unique link at the same time join one response, until it is complete', async () => {
  const made = await newProject(running);
  const linkId = made.uniqueLinks[0]!.linkId;
  const responses = await Promise.all(Array.from({ length: 20 }, () => begin(running, linkId)));
  assert.equal(new Set(responses.map(response => response.responseSessionId)).size, 1);
  assert.equal((await counters(running, linkId)).claimed, 1);
  await land(running, linkId, responses[0]!.responseSessionId);
  await assert.rejects(begin(running, linkId), refusedAs('gone', /sent already/));
  const again = await begin(running, linkId, responses[0]!.responseSessionId);
  assert.equal(again.complete, true);
});

test('any device continues the interview of a unique link until it is complete; then the link shows it', async () => {
  const made = await newProject(running, { settings: { interviewQuestions: ['One?', 'Two?', 'Three?'] } });
  const [link] = made.uniqueLinks;
  const { linkId } = link!;
  const shown = async () => (await running.projects.listLinks(patch(made.project, {}))).uniqueLinks[0]!;
  const resolved = async () =>
    (await running.projects.resolveRecipient({ tokenHash: hashToken(link!.token), withResponse: true })).underWay;
  assert.equal(await resolved(), undefined);
  const { responseSessionId } = await begin(running, linkId);
  assert.equal((await resolved())?.responseSessionId, responseSessionId, 'nothing has landed yet');
  for (const index of [0, 2]) {
    await land(running, linkId, responseSessionId, index);
    const other = await begin(running, linkId);
    assert.equal(other.responseSessionId, responseSessionId);
    const answered = other.answers.map(({ questionIndex }) => questionIndex);
    assert.deepEqual(answered, index === 0 ? [0] : [0, 2]);
    await counters(running, linkId);
    assert.deepEqual((await resolved())?.answers, other.answers);
    const { status, submissionCount, completedAt } = await shown();
    assert.deepEqual(
      [status, submissionCount, completedAt],
      [LinkStatus.LINK_STATUS_EXHAUSTED, answered.length, undefined],
    );
  }
  const disable = (disabled: boolean) => running.projects.updateLink({ ...patch(made.project, {}), linkId, disabled });
  await disable(true);
  assert.equal(await resolved(), undefined, 'its owner has closed it');
  await disable(false);
  await land(running, linkId, responseSessionId, 1);
  await counters(running, linkId);
  const { submittedAt, completedAt } = await shown();
  assert.ok(completedAt);
  assert.deepEqual(completedAt, submittedAt);
  assert.equal(await resolved(), undefined);
  await assert.rejects(begin(running, linkId), refusedAs('gone', /sent already/));
});

test('a shared link shows when its latest response was complete', async () => {
  const made = await newProject(running, { settings: { ...shared, interviewQuestions: ['One?', 'Two?'] } });
  const { linkId, token } = made.sharedLink!;
  const completedAt = async () => {
    await counters(running, linkId);
    return (await running.projects.listLinks(patch(made.project, {}))).sharedLink?.completedAt;
  };
  const finish = async () => {
    const { responseSessionId } = await begin(running, linkId);
    await land(running, linkId, responseSessionId, 0);
    const before = await completedAt();
    await land(running, linkId, responseSessionId, 1);
    return before;
  };
  assert.equal(await finish(), undefined);
  const first = await completedAt();
  assert.deepEqual(await finish(), first);
  assert.ok(first && (await completedAt())! > first);
  await begin(running, linkId);
  const { underWay } = await running.projects.resolveRecipient({ tokenHash: hashToken(token), withResponse: true });
  assert.equal(underWay, undefined, 'a response of a shared link belongs to the device that began it');
});

test('one of two clips that land at the same time for one question is and stays the answer', async () => {
  const made = await newProject(running);
  const linkId = made.uniqueLinks[0]!.linkId;
  const { responseSessionId } = await begin(running, linkId);
  const clips = Array.from({ length: 10 }, () => session());
  const replies = await Promise.all(clips.map(clip => land(running, linkId, responseSessionId, 0, clip)));
  const winner = clips[replies.findIndex(reply => reply.landed)]!;
  assert.equal(replies.filter(reply => reply.landed).length, 1);
  for (const clip of clips) {
    const again = await land(running, linkId, responseSessionId, 0, clip);
    assert.equal(again.landed, clip === winner);
  }
  const { response } = await running.projects.getResponse({ linkId, responseSessionId });
  assert.equal(response?.answers[0]?.submissionId, winner);
  assert.deepEqual(await counters(running, linkId), { claimed: 0, landed: 1, submissionCount: 1, applied: 0 });
});

test('answers of an interview that land at the same time all count, with one use', async () => {
  const questions = ['One?', 'Two?', 'Three?', 'Four?'];
  const made = await newProject(running, { settings: { interviewQuestions: questions } });
  const linkId = made.uniqueLinks[0]!.linkId;
  const { responseSessionId } = await begin(running, linkId);
  const replies = await Promise.all(questions.map((_, index) => land(running, linkId, responseSessionId, index)));
  assert.ok(replies.every(reply => reply.landed));
  assert.equal(replies.filter(reply => reply.complete).length, 1);
  assert.deepEqual(await counters(running, linkId), { claimed: 0, landed: 1, submissionCount: 4, applied: 0 });
  await assert.rejects(land(running, linkId, responseSessionId, 4), refusedAs('invalid', /question/));
});

test('concurrent claims, landings and releases never exceed the uses and never go below zero', async () => {
  const maxUses = 10;
  const made = await newProject(running, { settings: { ...shared, sharedLinkMaxUses: maxUses } });
  const linkId = made.sharedLink!.linkId;
  let landed = 0;
  let seenOver = false;
  let round = 0;
  const contributor = async (index: number) => {
    const id = session();
    await begin(running, linkId, id);
    if ((index + round) % 3 === 0) return await running.projects.releaseResponse({ linkId, responseSessionId: id });
    if ((await land(running, linkId, id)).landed) landed++;
  };
  const watching = { on: true };
  const watcher = (async () => {
    while (watching.on) {
      const link = await running.store.models.links.findById(linkId).lean();
      if (link!.claimed < 0 || link!.claimed + link!.landed > maxUses) seenOver = true;
    }
  })();
  for (; landed < maxUses && round < 20; round++) {
    await Promise.allSettled(Array.from({ length: 40 }, (_, index) => contributor(index)));
  }
  watching.on = false;
  await watcher;
  const end = await counters(running, linkId);
  assert.equal(seenOver, false);
  assert.deepEqual(end, { claimed: 0, landed, submissionCount: landed, applied: 0 });
  assert.equal(landed, maxUses);
});

test('a session id that is not a UUID is invalid; an unknown link or response is not found', async () => {
  const made = await newProject(running);
  const linkId = made.uniqueLinks[0]!.linkId;
  await assert.rejects(begin(running, linkId, 'mine'), refusedAs('invalid', /responseSessionId/));
  await assert.rejects(begin(running, session()), refusedAs('not_found'));
  await assert.rejects(land(running, linkId, session()), refusedAs('not_found'));
  const uppercase = session().toUpperCase();
  const response = await begin(running, linkId, uppercase);
  assert.equal((await begin(running, linkId, uppercase)).responseSessionId, response.responseSessionId);
});
