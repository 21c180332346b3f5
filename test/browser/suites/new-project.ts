import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { checkAccessibility } from '../accessibility.ts';
import { button, heading } from '../actions.ts';
import { harness } from './pages-harness.ts';

// The page /new, on which an owner creates a project.

let writer: Promise<string> | undefined;
/** Returns a token that may create projects. */
const ownToken = (): Promise<string> => (writer ??= harness.tokenWith(['profile:read', 'projects:write']));

async function openNew(options: Parameters<typeof harness.page>[0] = {}): Promise<Page> {
  const page = await harness.page(options);
  await page.goto(`${harness.system.baseUrl}/new`);
  await page.locator('html[data-ready]').waitFor();
  return page;
}

const projects = async (): Promise<{ projectId: string; projectName: string }[]> =>
  (await harness.api('GET', '/api/projects?limit=100')).projects as { projectId: string; projectName: string }[];

test('an owner creates a project with people, and sees the same call as curl', async () => {
  const token = await ownToken();
  const page = await openNew();
  const created = page.waitForResponse(answer => answer.url().endsWith('/api/projects'));
  await page.getByLabel('API token').fill(token);
  await page.getByLabel('Title').fill('Why did you join?');
  await page.getByLabel('Questions').fill('Who are you?\nWhat do you do?');
  await page.getByText('Signed in as First owner.').waitFor();
  await page.getByLabel('Names').fill('name,email\nAda,ada@example.org\nGrace,grace@example.org\n');
  await page.getByText('2 people.').waitFor();
  await page.getByLabel('Also make one link').check();
  await page.getByLabel('How many videos it takes').fill('7');
  await page.getByText('The same with curl').click();
  const command = (await page.locator('#curl').textContent()) ?? '';
  await button(page, 'Create project').click();
  await heading(page, 'Your project is ready').waitFor();

  const answer = await created;
  const made = (await answer.json()) as { projectId: string; recipientUrls: { recipientUrl: string }[] };
  const sent = answer.request().postDataJSON() as object;
  assert.ok(command.includes(JSON.stringify(sent, undefined, 2)), 'the command has the body that was sent');
  assert.ok(command.includes((await answer.request().headerValue('idempotency-key')) ?? 'none'));
  assert.ok(!command.includes(token));
  const detail = await harness.api('GET', `/api/projects/${made.projectId}`);
  assert.deepEqual(detail.interviewQuestions, ['Who are you?', 'What do you do?']);
  assert.equal(detail.sharedLinkMaxUses, 7);
  assert.equal(made.recipientUrls.length, 2);
  const first = page.getByRole('row').nth(1);
  assert.match((await first.textContent()) ?? '', /^Ada/);
  await first.getByRole('button').click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, made.recipientUrls[0]!.recipientUrl);

  // The dashboard's address is shown only once, so a reload must not lose it.
  await page.reload();
  await heading(page, 'Your project is ready').waitFor();
  await button(page, 'Create another project').click();
  assert.equal(await page.getByLabel('Title').inputValue(), '');
  await page.context().close();
});

test('a lost answer and a second press create one project', async () => {
  const token = await ownToken();
  const page = await openNew();
  await page.getByLabel('API token').fill(token);
  await page.getByLabel('Title').fill('Only once');
  // The service creates the project, but the page gets no answer.
  await page.route('**/api/projects', async route => {
    await route.fetch();
    await route.abort();
  });
  await button(page, 'Create project').click();
  await page.getByText('it creates only one project').waitFor();
  await page.unroute('**/api/projects');
  await page.reload();
  await page.locator('html[data-ready]').waitFor();
  await button(page, 'Create project').click();
  await heading(page, 'Your project is ready').waitFor();
  assert.equal((await projects()).filter(({ projectName }) => projectName === 'Only once').length, 1);
  await page.context().close();
});

test('an error of the API is shown beside its field, and names the line of a person', async () => {
  const token = await ownToken();
  const page = await openNew();
  await button(page, 'Create project').click();
  await page.getByText('A token starts with api_').waitFor();
  await page.getByLabel('API token').fill(token);
  await page.getByLabel('Title').fill('Faults');
  await page.getByLabel('Longest video').fill('9000');
  await button(page, 'Create project').click();
  await page.locator('#maxDurationSec-problem:not([hidden])').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'maxDurationSec');
  await page.getByLabel('Longest video').fill('60');
  await page.getByLabel('Names').fill('name,email\nAda,ada@example.org\n\nGrace,no address\n');
  await button(page, 'Create project').click();
  await page.locator('#people-problem', { hasText: /^Line 4: email must be an email address/ }).waitFor();
  const reader = await harness.tokenWith(['projects:read']);
  await page.getByLabel('API token').fill(reader);
  await button(page, 'Create project').click();
  await page.getByText('it lacks the scope projects:write').waitFor();
  assert.equal((await projects()).filter(({ projectName }) => projectName === 'Faults').length, 0);
  await page.context().close();
});

test('the page keeps no secret, works on a phone, and axe finds nothing, light and dark', async () => {
  const token = await ownToken();
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await openNew({ colorScheme, viewport: { width: 390, height: 760 } });
    await page.getByText('More', { exact: true }).click();
    await page.getByText('The same with curl').click();
    await page.getByLabel('Webhook secret').fill('a very secret text');
    await page.getByLabel('Write down what people say').check();
    await page.getByLabel('People must accept terms first').check();
    await checkAccessibility(page, `the form, ${colorScheme}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `the page is ${wide} px wide`);
    const kept = await page.evaluate(() => JSON.stringify(sessionStorage) + JSON.stringify(localStorage));
    assert.ok(!kept.includes('a very secret text'));
    assert.ok(!((await page.locator('#curl').textContent()) ?? '').includes('a very secret text'));
    await page.getByLabel('API token').fill(token);
    await page.getByLabel('Title').fill(`Phone ${colorScheme}`);
    await page.getByLabel('Webhook address').fill('https://example.org/hook');
    await button(page, 'Create project').click();
    await heading(page, 'Your project is ready').waitFor();
    await checkAccessibility(page, `the result, ${colorScheme}`);
    await page.context().close();
  }
});
