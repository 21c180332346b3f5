import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { codeOf } from '../src/domain/completion-code.ts';
import { responseKey } from '../src/domain/response.ts';
import {
  begin,
  counters,
  land,
  newOwner,
  newProject,
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

const RETURN_URL = 'https://shop.example/{submissionId}?r={reference}&c={code}';
const shared = { sharedLinkEnabled: true, acceptReference: true };

type Made = Awaited<ReturnType<typeof newProject>>;

async function beginWith(made: Made, linkId: string, reference: string, responseSessionId = session()) {
  const { projectId } = made.project!;
  const request = { linkId, projectId, responseSessionId, termsAccepted: false, reference };
  return (await running.projects.beginResponse(request)).response!;
}

const read = async (linkId: string, responseSessionId: string) =>
  (await running.projects.getResponse({ linkId, responseSessionId, withCompletion: true })).response!;

const find = async ({ project }: Made, code: string) =>
  (await running.projects.findCompletion({ ...patch(project, {}), code })).origin;

async function personOf({ project }: Made, linkId: string, responseSessionId: string) {
  const { projectId } = project!;
  const { invitations } = await running.projects.getInvitations({
    projectId,
    origins: [{ linkId, responseSessionId }],
  });
  return invitations[0]?.person;
}

test('a response of a shared link keeps the reference of its address, sealed; no other response does', async () => {
  const reference = ' <b>Ä-17</b> ';
  const made = await newProject(running, { settings: shared });
  const { linkId } = made.sharedLink!;
  const has = async () => (await running.projects.getProject({ ...patch(made.project, {}) })).project?.hasInvitations;
  assert.equal(await has(), false);
  const { responseSessionId } = await beginWith(made, linkId, reference);
  const person = await personOf(made, linkId, responseSessionId);
  assert.deepEqual([person?.reference, person?.verified], [reference.trim(), false]);
  const stored = await running.store.responses.find(responseKey(linkId, responseSessionId));
  assert.ok(stored?.sealedReference && stored.personKey);
  assert.doesNotMatch(JSON.stringify(stored), /Ä-17/);
  assert.equal(await has(), true);
  await beginWith(made, linkId, 'another', responseSessionId);
  assert.equal((await personOf(made, linkId, responseSessionId))?.reference, reference.trim(), 'it stays');
  const unique = made.uniqueLinks[0]!.linkId;
  const onUnique = await beginWith(made, unique, reference);
  assert.equal(await personOf(made, unique, onUnique.responseSessionId), undefined);
  const refusing = await newProject(running, { settings: { sharedLinkEnabled: true } });
  const ignored = await beginWith(refusing, refusing.sharedLink!.linkId, reference);
  assert.equal(await personOf(refusing, refusing.sharedLink!.linkId, ignored.responseSessionId), undefined);
  const none = await beginWith(made, linkId, ' ');
  assert.equal(await personOf(made, linkId, none.responseSessionId), undefined);
  for (const bad of ['x'.repeat(201), 'a\0', 'a\nb'])
    await assert.rejects(beginWith(made, linkId, bad), refusedAs('invalid', /^reference must have at most 200/));
});

test('a complete response has a code by which its owner finds it, and the filled address', async () => {
  const settings = { ...shared, returnUrl: RETURN_URL, interviewQuestions: ['One?', 'Two?'] };
  const made = await newProject(running, { settings });
  const { linkId } = made.sharedLink!;
  const { responseSessionId } = await beginWith(made, linkId, 'A & B');
  const clips = [session(), session()];
  await land(running, linkId, responseSessionId, 1, clips[1]);
  assert.equal((await read(linkId, responseSessionId)).completion, undefined);
  await running.projects.updateProject(patch(made.project, { returnUrl: '' }));
  await land(running, linkId, responseSessionId, 0, clips[0]);
  const { completion } = await read(linkId, responseSessionId);
  const { code = '' } = completion ?? {};
  assert.match(code, /^[0-9A-HJKMNP-TV-Z]{8}$/);
  assert.equal(completion?.returnUrl, `https://shop.example/${clips[0]}?r=A%20%26%20B&c=${code}`);
  assert.deepEqual((await read(linkId, responseSessionId)).completion, completion);
  assert.deepEqual((await begin(running, linkId, responseSessionId)).completion, completion);
  const plain = await running.projects.getResponse({ linkId, responseSessionId });
  assert.equal(plain.response?.completion, undefined, 'for services that did not ask for it');
  for (const written of [code, code.toLowerCase(), code.replaceAll('0', 'o').replaceAll('1', 'l')])
    assert.deepEqual(await find(made, written), { linkId, responseSessionId });
  for (const wrong of ['00000000', '', 'x'.repeat(1_000)]) assert.equal(await find(made, wrong), undefined);
  const another = await newProject(running);
  assert.equal(await find(another, code), undefined, 'a code belongs to its project');
  const { projectId } = made.project!;
  const stranger = await newOwner(running);
  await assert.rejects(
    running.projects.findCompletion({ ownerId: stranger, projectId, code }),
    refusedAs('not_found', /no such project/),
  );
});

test('two responses of a project never have the same code, also when they are read at the same time', async () => {
  const made = await newProject(running, { settings: shared });
  const { linkId } = made.sharedLink!;
  const { responseSessionId } = await begin(running, linkId);
  await land(running, linkId, responseSessionId);
  await counters(running, linkId);
  const { projectId } = made.project!;
  const id = responseKey(linkId, responseSessionId);
  assert.equal(await running.store.codes.claim(projectId, codeOf(id, 0), 'another:response'), true);
  const reads = await Promise.all(Array.from({ length: 10 }, () => read(linkId, responseSessionId)));
  assert.deepEqual([...new Set(reads.map(({ completion }) => completion?.code))], [codeOf(id, 1)]);
});

test('an erased project leaves no code', async () => {
  const made = await newProject(running);
  const { linkId } = made.uniqueLinks[0]!;
  const { responseSessionId } = await begin(running, linkId);
  await land(running, linkId, responseSessionId);
  const { completion } = await read(linkId, responseSessionId);
  const { projectId } = made.project!;
  const hash = createHash('sha256').update(`${projectId}:${completion?.code}`).digest();
  const entry = () => running.store.hashes.find('code', hash);
  assert.ok(await entry());
  await running.operator.eraseProject({ projectId, dryRun: false });
  assert.equal(await entry(), null);
});
