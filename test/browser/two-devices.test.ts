import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { testClip } from '@recording-request/testing/clip';
import { sendClip } from '@recording-request/testing/contributor';
import type { Page } from 'playwright-core';
import { checkAccessibility } from './accessibility.ts';
import { button, heading, recordedFor, recordNow, startRecording, stop } from './actions.ts';
import { landed, startTestBrowser, type TestBrowser } from './test-browser.ts';

// Tests a contributor with several devices, or with a device that has lost its data.

let harness: TestBrowser;
before(async () => {
  harness = await startTestBrowser();
});
after(() => harness?.[Symbol.asyncDispose]());

const QUESTIONS = ['Who are you?', 'What do you do?', 'What is next?'];
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

async function send(page: Page): Promise<void> {
  await recordedFor(page, 1);
  await stop(page);
  await button(page, 'Send').click();
}

const nextQuestion = (page: Page, number: number) =>
  page.locator('#capture-count', { hasText: `Question ${number} of 3` }).waitFor();

const answered = (page: Page) => page.locator('.questions li:has(.answered:not([hidden]))').allTextContents();

async function tableSays(dashboard: Page, state: string): Promise<void> {
  await dashboard.reload();
  assert.equal(await dashboard.locator('#link-rows .state').textContent(), state);
}

test('another device continues an interview: it shows the answered questions, the next one, and the end', async () => {
  const project = await harness.project({ interviewQuestions: QUESTIONS, requireTerms: true });
  const dashboard = await harness.page();
  await dashboard.goto(project.dashboardUrl);
  const first = await harness.page(PHONE);
  await first.goto(project.urls[0]!);
  assert.deepEqual(await answered(first), []);
  await first.getByLabel('I accept the terms').check();
  await startRecording(first);
  await send(first);
  await nextQuestion(first, 2);
  await first.context().close();
  await tableSays(dashboard, '1 of 3 answers');
  const filter = dashboard.getByLabel('Filter links by status');
  const row = dashboard.locator('#link-rows tr');
  await dashboard.getByRole('link', { name: 'Links', exact: true }).click();
  await filter.selectOption('All answers received');
  await dashboard.getByText('No personal links have this status.').waitFor();
  await filter.selectOption('Some answers received');
  await row.filter({ hasText: '1 of 3 answers' }).waitFor();

  const second = await harness.page(PHONE);
  const answer = await second.goto(project.urls[0]!);
  assert.equal(answer!.status(), 200);
  await second.locator('html[data-ready]').waitFor();
  await second.locator('#welcome-back', { hasText: 'Next up: question 2 of 3.' }).waitFor();
  assert.deepEqual(await answered(second), ['Who are you? ✓ Answered']);
  await checkAccessibility(second, 'an interview begun elsewhere');
  await button(second, 'Turn on the camera').click();
  await second.getByText('Please accept the terms first.').waitFor();
  await second.getByLabel('I accept the terms').check();
  await button(second, 'Turn on the camera').click();
  await nextQuestion(second, 2);
  assert.equal(await second.locator('#capture-question').textContent(), QUESTIONS[1]);
  await recordNow(second);
  await send(second);
  await nextQuestion(second, 3);
  await tableSays(dashboard, '2 of 3 answers');

  // Simulates the same device after it has lost its data.
  await second.evaluate(() => {
    localStorage.clear();
    indexedDB.deleteDatabase('recordings');
  });
  await second.goto(project.urls[0]!);
  await second.locator('#welcome-back', { hasText: 'Next up: question 3 of 3.' }).waitFor();
  await second.getByLabel('I accept the terms').check();
  await startRecording(second);
  await send(second);
  await heading(second, 'Thank you').waitFor();
  await second.context().close();
  await tableSays(dashboard, 'Clip received');
  await filter.selectOption('Some answers received');
  await dashboard.getByText('No personal links have this status.').waitFor();
  await filter.selectOption('All answers received');
  await row.filter({ hasText: 'Clip received' }).waitFor();
  const clips = await landed(harness, project, 3);
  assert.deepEqual(clips.map(({ questionIndex }) => questionIndex).sort(), [0, 1, 2]);
  const late = await harness.page(PHONE);
  assert.equal((await late.goto(project.urls[0]!))!.status(), 410);
  await heading(late, 'This link has been used up').waitFor();
  await late.context().close();
  await dashboard.context().close();
});

test('if another device answers the shown question, the page goes to the next one', async () => {
  const project = await harness.project({ interviewQuestions: QUESTIONS });
  const page = await harness.page(PHONE);
  await page.goto(project.urls[0]!);
  await button(page, 'Turn on the camera').click();
  await nextQuestion(page, 1);
  await page.locator('#ready-text', { hasText: 'We can see and hear you.' }).waitFor();
  // Another device begins and answers the first question.
  const path = `${project.urls[0]}/responses`;
  const { responseSessionId } = (await (await fetch(path, { method: 'POST' })).json()) as { responseSessionId: string };
  const clip = await testClip({ container: 'webm', audio: 'none', seconds: 1, width: 64, height: 48, frameRate: 10 });
  await sendClip(project.urls[0]!, clip, { responseSessionId, questionIndex: 0 });
  await button(page, 'Start recording').click();
  await nextQuestion(page, 2);
  await page.locator('#ready-text', { hasText: 'answered on another device' }).waitFor();
  await button(page, 'Start recording').click();
  await send(page);
  await nextQuestion(page, 3);
  assert.equal((await landed(harness, project, 2)).length, 2);
  await page.context().close();
});
