import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hashToken } from '@recording-request/contract/tokens';
import type { Link } from '@recording-request/proto/projects/v1/projects';
import { add, invited, keyOf, linksOf } from './people.ts';
import {
  begin,
  type NewProject,
  newProject,
  patch,
  refusedAs,
  startTestProjects,
  type TestProjects,
} from './test-service.ts';

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(() => running[Symbol.asyncDispose]());

const slow = (timeFactor: number | undefined, reference: string) => invited({ reference }, { timeFactor });
const make = (invitations: ReturnType<typeof slow>[], settings: NewProject['settings'] = {}) =>
  newProject(running, {
    count: invitations.length,
    settings: { maxDurationSec: 90, ...settings },
    invitations: { invitations },
  });
const limitsOf = async ({ linkId, token }: Link) => {
  const page = await running.projects.resolveRecipient({ tokenHash: hashToken(token), withResponse: true });
  const response = await begin(running, linkId);
  const { settings } = response;
  assert.equal(settings!.timeFactor, 1, 'a response says nothing about its factor');
  assert.equal(page.settings!.timeFactor, 1, 'nor does its page');
  assert.equal(page.settings!.maxDurationSec, settings!.maxDurationSec);
  return settings!.maxDurationSec;
};

test('the factor of a link replaces that of its project, and a response has the product', async () => {
  const made = await make([slow(3, 'a'), slow(1, 'b'), slow(undefined, 'c'), slow(1.1, 'd')], { timeFactor: 1.5 });
  assert.equal(made.project!.settings!.timeFactor, 1.5);
  assert.deepEqual(
    made.uniqueLinks.map(({ timeFactor }) => timeFactor),
    [3, 1, undefined, 1.1],
  );
  assert.deepEqual(await Promise.all(made.uniqueLinks.map(limitsOf)), [270, 90, 135, 99]);
  const longest = await make([slow(3, 'a')], { maxDurationSec: 600 });
  assert.equal(await limitsOf(longest.uniqueLinks[0]!), 1_800);
});

test('a change of a factor applies to later responses', async () => {
  const made = await make([slow(2, 'a'), slow(2, 'b'), slow(undefined, 'c')]);
  const [first, second, third] = made.uniqueLinks as [Link, Link, Link];
  const begun = await begin(running, first.linkId);
  const change = (linkId: string, timeFactor?: number) =>
    running.projects.updateLink({ ...keyOf(made), linkId, timeFactor });
  assert.equal((await change(first.linkId, 3)).link!.timeFactor, 3);
  await running.projects.updateProject(patch(made.project, { timeFactor: 2.5 }));
  const { response } = await running.projects.getResponse({ ...begun, withCompletion: false });
  assert.equal(response!.settings!.maxDurationSec, 180);
  const { link } = await change(second.linkId, 0);
  assert.equal(link!.timeFactor, undefined, '0 removes it');
  assert.equal(link!.invitation!.person!.reference, 'b', 'the person stays');
  assert.equal(await limitsOf(second), 225);
  assert.equal(await limitsOf(third), 225);
  assert.equal((await change(third.linkId)).link!.timeFactor, undefined, 'an absent field changes nothing');
  await assert.rejects(change(third.linkId, 3.1), refusedAs('invalid', /^timeFactor must be a number from 1 to 3/));
});

test('added links have factors, and a wrong one names its entry', async () => {
  const made = await make([slow(undefined, 'a')]);
  const { links } = await add(running, made, [slow(2, 'x')]);
  assert.equal(links[0]!.timeFactor, 2);
  for (const wrong of [0, 0.9, 3.01, Number.NaN])
    await assert.rejects(
      add(running, made, [slow(1, 'y'), slow(wrong, 'z')]),
      refusedAs('invalid', /^links, entry 2: timeFactor must be/),
    );
  assert.equal((await linksOf(running, made)).length, 2);
});

test('a take of a sandbox stays short', async () => {
  const sandbox = await make([slow(3, 'a'), slow(2, 'b')], { sandbox: true, maxDurationSec: 6 });
  assert.deepEqual(await Promise.all(sandbox.uniqueLinks.map(limitsOf)), [15, 12]);
});

test('another device that begins a response again gets the current factor', async () => {
  const made = await make([slow(2, 'a')]);
  const [link] = made.uniqueLinks as [Link];
  const { responseSessionId } = await begin(running, link.linkId);
  await running.projects.updateLink({ ...keyOf(made), linkId: link.linkId, timeFactor: 3 });
  await running.projects.releaseResponse({ linkId: link.linkId, responseSessionId });
  assert.equal((await begin(running, link.linkId)).settings!.maxDurationSec, 270);
});

test('the factor of a link is sealed, and no reader of clips or events gets it', async () => {
  const made = await make([invited({}, { timeFactor: 2 })]);
  const { projectId } = keyOf(made);
  const [{ linkId }] = made.uniqueLinks as [Link];
  const record = await running.store.models.links.findById(linkId).lean();
  assert.ok(record!.sealedInvitation);
  assert.doesNotMatch(JSON.stringify(record), /timeFactor/);
  const origins = [{ linkId, responseSessionId: '' }];
  const { invitations } = await running.projects.getInvitations({ projectId, origins });
  assert.equal(invitations[0]!.timeFactor, undefined);
  const { invitation } = await running.projects.getEventLink({ projectId, linkId, responseSessionId: '' });
  assert.equal(invitation!.timeFactor, undefined);
  const forgotten = await running.projects.forgetReference({ projectId, origin: origins[0], dryRun: false });
  assert.equal(forgotten.people, 1);
  assert.equal((await linksOf(running, made))[0]!.timeFactor, undefined, 'an erasure of the person removes it');
});

test('a record from before the factor, and a sender that does not know it, have factor 1', async () => {
  const made = await make([slow(undefined, 'a')], { timeFactor: 0 });
  assert.equal(made.project!.settings!.timeFactor, 1);
  const { projectId } = keyOf(made);
  await running.store.models.projects.collection.updateOne({ _id: projectId } as never, {
    $unset: { 'settings.timeFactor': '' },
  });
  const { project } = await running.projects.getProject(keyOf(made));
  assert.equal(project!.settings!.timeFactor, 1);
  assert.equal(await limitsOf(made.uniqueLinks[0]!), 90);
});
