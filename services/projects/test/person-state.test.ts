import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PersonState } from '@recording-request/proto/projects/v1/projects';
import { invited, keyOf, linksOf, people } from './people.ts';
import { begin, counters, land, newProject, patch, startTestProjects, type TestProjects } from './test-service.ts';

const {
  PERSON_STATE_INVITED: INVITED,
  PERSON_STATE_OPENED: OPENED,
  PERSON_STATE_RECORDING: RECORDING,
  PERSON_STATE_SENT: SENT,
  PERSON_STATE_CLOSED: CLOSED,
} = PersonState;
const STATES = [INVITED, OPENED, RECORDING, SENT, CLOSED];

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(() => running[Symbol.asyncDispose]());

type Made = Awaited<ReturnType<typeof newProject>>;

/** Returns the state of each link. Each link must be in the list of its state, and in no other. */
async function statesOf(made: Made): Promise<(PersonState | undefined)[]> {
  const all = await linksOf(running, made);
  for (const personState of STATES) {
    const wanted = all.filter(link => link.personState === personState);
    assert.deepEqual(await linksOf(running, made, { personState, pageSize: 2 }), wanted, `the list of ${personState}`);
  }
  return all.map(link => link.personState);
}

test('the state of a person follows the response from the invitation to the clip', async () => {
  const made = await newProject(running, { count: 3, invitations: { invitations: people(3) } });
  const { projectId } = made.project!;
  const { linkId } = made.uniqueLinks[0]!;
  const other = made.uniqueLinks[1]!.linkId;
  assert.deepEqual(await statesOf(made), [INVITED, INVITED, INVITED]);
  await running.projects.openLink({ linkId, projectId });
  const opened = (await linksOf(running, made))[0]!;
  await running.projects.openLink({ linkId, projectId });
  assert.deepEqual((await linksOf(running, made))[0], opened, 'only the first opening changes the link');
  assert.deepEqual(await statesOf(made), [OPENED, INVITED, INVITED]);
  const { responseSessionId } = await begin(running, linkId);
  await counters(running, linkId);
  assert.deepEqual(await statesOf(made), [RECORDING, INVITED, INVITED]);
  await running.projects.releaseResponse({ linkId, responseSessionId });
  await counters(running, linkId);
  assert.deepEqual(await statesOf(made), [OPENED, INVITED, INVITED]);
  await running.projects.renewResponse({ linkId, responseSessionId });
  await running.projects.updateLink({ ...keyOf(made), linkId, disabled: true });
  await running.projects.updateLink({ ...keyOf(made), linkId: other, disabled: true });
  assert.deepEqual(await statesOf(made), [RECORDING, CLOSED, INVITED], 'a begun response may finish');
  await land(running, linkId, responseSessionId);
  await counters(running, linkId);
  assert.deepEqual(await statesOf(made), [SENT, CLOSED, INVITED]);
  const [sent] = await linksOf(running, made, { reference: 'P-1', personState: SENT });
  assert.deepEqual([sent!.submissionCount, sent!.questionCount], [1, 0]);
  assert.deepEqual(await linksOf(running, made, { reference: 'P-1', personState: CLOSED }), []);
});

test('the person of an interview is recording until the last answer', async () => {
  const made = await newProject(running, {
    count: 2,
    settings: { interviewQuestions: ['One?', 'Two?', 'Three?'], sharedLinkEnabled: true },
    invitations: { invitations: [invited({ name: 'Ada' })] },
  });
  const { linkId } = made.uniqueLinks[0]!;
  const { responseSessionId } = await begin(running, linkId);
  for (const [question, expected] of [RECORDING, RECORDING, SENT].entries()) {
    await counters(running, linkId);
    assert.deepEqual(await statesOf(made), [RECORDING, INVITED]);
    await land(running, linkId, responseSessionId, question);
    await counters(running, linkId);
    assert.deepEqual(await statesOf(made), [expected, INVITED]);
    const [link] = await linksOf(running, made);
    assert.deepEqual([link!.submissionCount, link!.questionCount], [question + 1, 3]);
  }
  const { sharedLink } = await running.projects.listLinks(keyOf(made));
  assert.equal(sharedLink!.personState, undefined, 'the shared link has no person');
});

test('people who have sent nothing are closed when the project expires or is closed', async () => {
  const made = await newProject(running, { count: 4 });
  const { ownerId, projectId } = made.project!;
  const [invitedLink, opened, recording, sent] = made.uniqueLinks.map(({ linkId }) => linkId);
  await running.projects.openLink({ linkId: opened!, projectId });
  await begin(running, recording!);
  await land(running, sent!, (await begin(running, sent!)).responseSessionId);
  for (const linkId of [recording!, sent!]) await counters(running, linkId);
  const open = [INVITED, OPENED, RECORDING, SENT];
  const ended = [CLOSED, CLOSED, RECORDING, SENT];
  assert.deepEqual(await statesOf(made), open);
  await running.projects.setProjectClosed({ ownerId, projectId, closed: true });
  assert.deepEqual(await statesOf(made), ended);
  await running.projects.setProjectClosed({ ownerId, projectId, closed: false });
  assert.deepEqual(await statesOf(made), open);
  await running.store.models.projects.updateOne({ _id: projectId }, { $set: { expiresAt: new Date(0) } });
  assert.deepEqual(await statesOf(made), ended);
  const expiry = { $case: 'neverExpire', value: true } as const;
  await running.projects.updateProject(patch(made.project, { expiry }));
  assert.deepEqual(await statesOf(made), open);
  assert.deepEqual(
    (await linksOf(running, made, { personState: INVITED })).map(({ linkId }) => linkId),
    [invitedLink],
  );
});
