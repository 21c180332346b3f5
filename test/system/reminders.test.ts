/** Tests reminders through HTTP only. Their times are real: an hour before a deadline that is an hour and some seconds away. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { OwnerEventsPageJson } from '@recording-request/contract/resources/owner-event';
import { ok, refused } from '@recording-request/harness/http-client';
import { startReceiver } from '@recording-request/harness/webhook-receiver';
import { type TestClip, testClip } from '@recording-request/testing/clip';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { type Owner, startTestSystem } from '@recording-request/testing/test-system';
import { until } from '@recording-request/testing/wait';
import { Webhook } from 'standardwebhooks';
import { fits } from './harness/fits.ts';
import { SYSTEM_WAIT } from './harness/limits.ts';

const SOON_SECONDS = 12;
// The project of one test expires before its reminders are due.
const system = await startTestSystem({ env: { REMINDER_SWEEP_SECONDS: '1', LINK_EXPIRY_DEFAULT_SECONDS: '4' } });
after(() => system[Symbol.asyncDispose]());

const TYPE = 'link.reminder_due';
const SECRET = `whsec_${Buffer.from('the secret of the reminders').toString('base64')}`;
const REMIND = { afterDays: [3], beforeDueHours: [1] };
/** Returns a deadline whose reminder, one hour earlier, is due in `seconds`. */
const dueIn = (seconds: number) => new Date(Date.now() + 3_600_000 + seconds * 1_000).toISOString();

let ada: Owner;
let mute: TestClip;
before(async () => {
  ada = await system.newOwner('Ada');
  mute = await testClip({ container: 'webm', audio: 'none', seconds: 1, width: 64, height: 48, frameRate: 10 });
});

type Link = { tokenId: string; recipientUrl: string };
const create = async (fields: object): Promise<{ projectId: string; recipientUrls: Link[] }> =>
  await ada.createProject({ projectName: 'Remind', count: 1, neverExpire: true, ...fields });
const pathOf = (projectId: string, link?: Link) => `/api/projects/${projectId}${link ? `/links/${link.tokenId}` : ''}`;
const change = async (path: string, json: object) => ok(await ada.ask(path, { method: 'PATCH', json }));
const stopPage = (link: Link, body?: string) =>
  ada.ask(`${new URL(link.recipientUrl).pathname}/reminders`, {
    headers: { accept: 'text/html', ...(body && { 'content-type': 'application/x-www-form-urlencoded' }) },
    ...(body && { method: 'POST', body }),
  });
const remindNow = (projectId: string, link: Link, headers: Record<string, string> = {}) =>
  ada.ask(`${pathOf(projectId, link)}/remind`, { method: 'POST', headers });
const remindedOf = async (projectId: string): Promise<string[]> => {
  const page: OwnerEventsPageJson = ok(await ada.ask(`/api/events?limit=200&types=${TYPE}&projectId=${projectId}`));
  return page.events.map(({ tokenId }) => tokenId!);
};
const reminded = async (projectId: string, count: number) =>
  await until(
    `${count} reminders`,
    async () => {
      const links = await remindedOf(projectId);
      return links.length >= count && links;
    },
    SYSTEM_WAIT,
  );

test('a reminder arrives once, as a signed webhook and in the feed, and only for people who have sent nothing', async () => {
  await using receiver = await startReceiver();
  const dueAt = dueIn(SOON_SECONDS);
  const recipients = ['open', 'begun', 'sent', 'stopped', 'disabled'].map(reference => ({ reference, dueAt }));
  const { projectId, recipientUrls } = await create({
    ...{ count: 6, recipients, remind: REMIND, webhookUrl: receiver.url, webhookSecret: SECRET, webhookEvents: [TYPE] },
  });
  const [open, begun, sent, stopped, disabled, none] = recipientUrls as [Link, Link, Link, Link, Link, Link];
  const closed = await create({ recipients: [{ dueAt }], remind: REMIND });
  const expired = await create({ recipients: [{ dueAt }], remind: REMIND, neverExpire: undefined });
  ok(await ada.ask(`${pathOf(closed.projectId)}/close`, { method: 'POST' }));
  await beginResponse(begun.recipientUrl);
  await sendClip(sent.recipientUrl, mute, { responseSessionId: await beginResponse(sent.recipientUrl) });
  assert.equal((await stopPage(stopped, 'stop=reminders')).status, 200);
  await change(pathOf(projectId, disabled), { disabled: true });
  // This project is due last, so its reminder comes after all others.
  const last = await create({ recipients: [{ dueAt: dueIn(SOON_SECONDS) }], remind: REMIND });
  await reminded(last.projectId, 1);
  assert.deepEqual((await reminded(projectId, 2)).sort(), [open.tokenId, begun.tokenId].sort());
  for (const project of [closed, expired]) assert.deepEqual(await remindedOf(project.projectId), []);

  const isReminder = ({ headers }: { headers: object }) =>
    (headers as Record<string, string>)['service-event'] === TYPE;
  const received = await receiver.waitFor(2, isReminder);
  const events = received.map(
    ({ body, headers }) =>
      new Webhook(SECRET).verify(body, headers as Record<string, string>) as {
        data: { link: Link & { recipient: { reference: string } }; number: number; stopUrl: string };
      },
  );
  const { link, number, stopUrl } = events.find(({ data }) => data.link.tokenId === open.tokenId)!.data;
  assert.deepEqual([link.recipient.reference, link.recipientUrl, number], ['open', open.recipientUrl, 1]);
  assert.equal(stopUrl, `${open.recipientUrl}/reminders`);
  const shown = ok(await ada.ask(`${pathOf(projectId)}/links`));
  fits(shown, 'ProjectLinks');
  const sums = (shown.recipientUrls as (Link & { remindersSent: number; remindersStopped: boolean })[]).map(
    ({ remindersSent, remindersStopped }) => [remindersSent, remindersStopped],
  );
  assert.deepEqual(sums, [
    [1, false],
    [1, false],
    [0, false],
    [0, true],
    [0, false],
    [0, false],
  ]);
  const rows = (await ada.ask(`${pathOf(projectId)}/links.csv`)).text().trim().split('\r\n');
  assert.ok(rows[0]!.endsWith(',remindersSent,remindersStopped'));
  assert.match(rows[1]!, /,"?1"?,"?false"?$/);
  assert.ok(none);
});

test('a changed deadline, a chosen time and a person added later count at once', async () => {
  const { projectId, recipientUrls } = await create({
    recipients: [{ reference: 'first' }],
    remind: { afterDays: [1] },
  });
  const [first] = recipientUrls as [Link];
  await change(pathOf(projectId, first), { dueAt: dueIn(SOON_SECONDS) });
  await change(pathOf(projectId), { remind: { beforeDueHours: [1, 2] } });
  const links = [
    { reference: 'later', dueAt: dueIn(SOON_SECONDS) },
    { reference: 'too late', dueAt: dueIn(-60) },
  ];
  const added = ok(await ada.ask(`${pathOf(projectId)}/links`, { method: 'POST', json: { links } }));
  const [later] = added.links as [Link];
  assert.deepEqual((await reminded(projectId, 2)).sort(), [first.tokenId, later.tokenId].sort());
  // Nobody is reminded twice for the same time, and nobody at all once the project has no reminder times.
  await change(pathOf(projectId, first), { dueAt: dueIn(3) });
  await change(pathOf(projectId), { remind: {} });
  const gone = ok(
    await ada.ask(`${pathOf(projectId)}/links`, { method: 'POST', json: { links: [{ dueAt: dueIn(3) }] } }),
  );
  const witness = await create({ recipients: [{ dueAt: dueIn(4) }], remind: REMIND });
  await reminded(witness.projectId, 1);
  assert.equal((await remindedOf(projectId)).length, 2);
  assert.equal(gone.created, 1);
});

test('an owner reminds one person now, once an hour', async () => {
  const project = await ada.createProject({ projectName: 'Now', count: 4, neverExpire: true, sharedLinkEnabled: true });
  const { projectId } = project;
  const links: Link[] = project.recipientUrls;
  const [open, sent, stopped, disabled] = links as [Link, Link, Link, Link];
  const key = { 'idempotency-key': randomUUID() };
  const answer = await remindNow(projectId, open, key);
  const link = ok(answer);
  fits(link, 'RecipientLink');
  assert.equal(link.remindersSent, 1);
  const again = await remindNow(projectId, open, key);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(ok(again), link);
  const other = await remindNow(projectId, open);
  refused(other, 429, 'reminded_recently');
  assert.ok(Number(other.headers.get('retry-after')) > 0);
  await sendClip(sent.recipientUrl, mute, { responseSessionId: await beginResponse(sent.recipientUrl) });
  await stopPage(stopped, 'List-Unsubscribe=One-Click');
  await change(pathOf(projectId, disabled), { disabled: true });
  const refusals: [Link, RegExp][] = [
    [sent, /has sent/],
    [stopped, /stopped/],
    [disabled, /disabled/],
    [project.sharedLink as Link, /shared/],
  ];
  for (const [link, why] of refusals)
    assert.match(refused(await remindNow(projectId, link), 422, 'not_remindable'), why);
  ok(await ada.ask(`${pathOf(projectId)}/close`, { method: 'POST' }));
  assert.match(refused(await remindNow(projectId, open), 422, 'not_remindable'), /closed/);
  refused(await remindNow(projectId, { ...open, tokenId: randomUUID() }), 404);
  assert.deepEqual(await reminded(projectId, 1), [open.tokenId]);
});

test('opening the page stops nothing, its button does, and other links get their usual pages', async () => {
  const project = await ada.createProject({
    ...{ projectName: 'Stories <b>', count: 2, neverExpire: true, sharedLinkEnabled: true },
    recipients: [{ locale: 'ar' }],
  });
  const links: Link[] = project.recipientUrls;
  const [open, disabled] = links as [Link, Link];
  const isStopped = async () =>
    ok(await ada.ask(`${pathOf(project.projectId)}/links`)).recipientUrls[0].remindersStopped;
  const page = await stopPage(open);
  assert.equal(page.status, 200);
  assert.match(page.text(), /<html[^>]* lang="ar"[^>]* dir="rtl"/);
  assert.match(page.text(), /Stories &lt;b&gt;/);
  assert.equal(page.text().match(/<button/g)?.length, 1);
  assert.doesNotMatch(page.text(), /<script/);
  assert.match(page.headers.get('content-security-policy') ?? '', /form-action 'self'/);
  const path = `${new URL(open.recipientUrl).pathname}/reminders`;
  await ada.ask(path, { method: 'HEAD' });
  await stopPage(open, 'x=y');
  assert.equal(await isStopped(), false);
  for (let times = 0; times < 2; times++) {
    const stopped = await stopPage(open, 'stop=reminders');
    assert.equal(stopped.status, 200);
    assert.doesNotMatch(stopped.text(), /<button/);
  }
  assert.equal(await isStopped(), true);
  assert.doesNotMatch((await stopPage(open)).text(), /<button/);
  // The owner may enable the link again, so its person can still stop the reminders.
  await change(pathOf(project.projectId, disabled), { disabled: true });
  assert.match((await stopPage(disabled)).text(), /<button/);
  const form = new FormData();
  form.set('List-Unsubscribe', 'One-Click');
  const oneClick = await fetch(`${disabled.recipientUrl}/reminders`, { method: 'POST', body: form });
  assert.deepEqual([oneClick.status, /<button/.test(await oneClick.text())], [200, false]);
  for (const body of [undefined, 'stop=reminders']) {
    assert.equal((await stopPage(project.sharedLink as Link, body)).status, 404);
    assert.equal((await stopPage({ ...open, recipientUrl: `${system.baseUrl}/r/vr_unknown` }, body)).status, 404);
  }
});

test('wrong times are refused, with the field and the limit', async () => {
  const { projectId } = await create({});
  const wrong: [object, RegExp][] = [
    [{ afterDays: [0] }, /^remind\.afterDays\[0\] must .*1/],
    [{ afterDays: [366] }, /^remind\.afterDays\[0\] must .*365/],
    [{ afterDays: [1, 2, 3, 4, 5, 6] }, /^remind\.afterDays must .*5/],
    [{ beforeDueHours: [2_161] }, /^remind\.beforeDueHours\[0\] must .*2,?160/],
    [{ beforeDueHours: [1.5] }, /^remind\.beforeDueHours\[0\] must /],
    [{ afterDays: [3, 3] }, /^remind\.afterDays /],
    [{ beforeHours: [1] }, /beforeHours/],
  ];
  for (const [remind, sentence] of wrong) {
    const json = { remind };
    assert.match(refused(await ada.ask(pathOf(projectId), { method: 'PATCH', json }), 400, 'value_invalid'), sentence);
    const creation = { method: 'POST', json: { projectName: 'x', count: 1, remind } };
    assert.match(refused(await ada.ask('/api/projects', creation), 400, 'value_invalid'), sentence);
  }
  const shown = await change(pathOf(projectId), { remind: { afterDays: [7, 3] } });
  fits(shown, 'ProjectDetail');
  assert.deepEqual(shown.remind, { afterDays: [7, 3], beforeDueHours: [] });
});
