import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { hashToken } from '@recording-request/contract/tokens';
import { newOwner, newProject, PNG, patch, refusedAs, startTestProjects, type TestProjects } from './test-service.ts';

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(() => running?.[Symbol.asyncDispose]());

const dueAt = new Date('2030-01-02T03:04:05.000Z');
const invited = (name: string) => ({
  invitations: [{ person: { name, reference: '', email: '', locale: '', verified: true }, metadata: {}, dueAt }],
});

test('contributors see the brand of the project, and the owner’s where the project leaves a field out', async () => {
  const { projects, accounts } = running;
  const userId = await newOwner(running);
  const { project, uniqueLinks } = await newProject(running, { invitations: invited('Ada') }, userId);
  const tokenHash = hashToken(uniqueLinks[0]!.token);
  const shown = async () => (await projects.resolveRecipient({ tokenHash })).brand;
  assert.deepEqual(await shown(), { name: '', accent: '' });

  await accounts.setBrand({ userId, brand: { name: ' Bakery ', accent: '#8C2F39' } });
  assert.deepEqual(await shown(), { name: 'Bakery', accent: '#8c2f39' });
  assert.deepEqual((await accounts.getUser({ userId })).user?.brand, { name: 'Bakery', accent: '#8c2f39' });

  const change = (brand: { name: string; accent: string }) => projects.updateProject(patch(project, { brand }));
  assert.deepEqual((await change({ name: ' Café ', accent: '' })).project?.settings?.brand, {
    name: 'Café',
    accent: '',
  });
  assert.deepEqual(await shown(), { name: 'Café', accent: '#8c2f39' });
  await change({ name: '', accent: '#1a237e' });
  assert.deepEqual(await shown(), { name: 'Bakery', accent: '#1a237e' });
  await assert.rejects(change({ name: 'x'.repeat(61), accent: '' }), refusedAs('invalid', /^brand\.name /));
  await assert.rejects(
    accounts.setBrand({ userId, brand: { name: '', accent: '#ffffff' } }),
    refusedAs('invalid', /^brand\.accent .*darker/),
  );
  await assert.rejects(
    accounts.setBrand({ userId: randomUUID(), brand: { name: '', accent: '' } }),
    refusedAs('not_found'),
  );
  assert.deepEqual(await shown(), { name: 'Bakery', accent: '#1a237e' }, 'a refused change changes nothing');
});

test('only the page itself reads the name of the person, the deadline and the end', async () => {
  const { projects } = running;
  const { project, uniqueLinks } = await newProject(running, { invitations: invited('Ada') });
  const tokenHash = hashToken(uniqueLinks[0]!.token);
  const page = await projects.resolveRecipient({ tokenHash, withResponse: true });
  assert.deepEqual([page.recipientName, page.dueAt, page.expiresAt], ['Ada', dueAt, project?.expiresAt]);
  const other = await projects.resolveRecipient({ tokenHash });
  assert.deepEqual([other.recipientName, other.dueAt, other.expiresAt], [undefined, undefined, undefined]);
});

test('a logo is kept with its project, removed, and erased with the project', async () => {
  const { projects } = running;
  const { project, uniqueLinks } = await newProject(running);
  const { ownerId, projectId } = project!;
  const tokenHash = hashToken(uniqueLinks[0]!.token);
  const owned = { ownerId, projectId };
  assert.equal((await projects.getProject(owned)).project?.hasLogo, false);
  await assert.rejects(projects.getLogo(owned), refusedAs('not_found'));

  assert.equal((await projects.setLogo({ ...owned, image: PNG })).project?.hasLogo, true);
  const { image, mediaType } = await projects.getLogo(owned);
  assert.deepEqual([Buffer.from(image), mediaType], [PNG, 'image/png']);
  assert.equal((await projects.resolveRecipient({ tokenHash })).hasLogo, true);
  assert.equal((await projects.getProject(owned)).project?.hasLogo, true);
  await assert.rejects(
    projects.setLogo({ ...owned, image: Buffer.from('<svg/>') }),
    refusedAs('invalid', /^The logo /),
  );
  assert.equal((await projects.getProject(owned)).project?.hasLogo, true);

  assert.equal((await projects.setLogo({ ...owned, image: Buffer.alloc(0) })).project?.hasLogo, false);
  await assert.rejects(projects.getLogo(owned), refusedAs('not_found'));
  await projects.setLogo({ ...owned, image: PNG });

  const stranger = { ownerId: await newOwner(running), projectId };
  await assert.rejects(projects.getLogo(stranger), refusedAs('not_found'));
  for (const sent of [PNG, Buffer.alloc(0)])
    await assert.rejects(projects.setLogo({ ...stranger, image: sent }), refusedAs('not_found'));

  await projects.eraseOwnedProject({ ...owned, dryRun: false });
  await assert.rejects(projects.getLogo(owned), refusedAs('not_found'));
  await assert.rejects(projects.setLogo({ ...owned, image: PNG }), refusedAs('not_found'));
});
