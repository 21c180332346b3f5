import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { until } from '@recording-request/testing/wait';
import type { Page } from 'playwright-core';
import { button, heading, kept, recordedFor, startRecording, stop } from './actions.ts';
import { landed, startTestBrowser, type TestBrowser } from './test-browser.ts';

// Tests takes whose hold has ended. Here a hold ends after seconds instead of days.

let harness: TestBrowser;
before(async () => {
  harness = await startTestBrowser({
    UPLOAD_HOLD_SECONDS: '6',
    UPLOAD_ENDED_SECONDS: '4',
    SWEEP_SECONDS: '1',
    CLAIM_HOLD_SECONDS: '6',
    // A camera on a busy machine is slow to deliver its first bytes.
    CLAIM_EMPTY_HOLD_SECONDS: '30',
    CLAIM_SWEEP_SECONDS: '1',
    HOLD_RENEW_SECONDS: '1',
  });
});
after(() => harness?.[Symbol.asyncDispose]());

async function saved(page: Page): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Save video to this device' }).click(),
  ]);
  return createHash('sha256')
    .update(await readFile(await download.path()))
    .digest('hex');
}

test('a sent take that arrived only in part is marked incomplete, and the whole take can be saved', async () => {
  const project = await harness.project();
  const context = await harness.context({ acceptDownloads: true });
  const page = await context.newPage();
  await page.goto(project.urls[0]!);
  await startRecording(page);
  await recordedFor(page, 3);
  // From here on, the page can report that the contributor pressed Send, but no bytes reach the server.
  await context.route('**/uploads/*', route => {
    const sending = route.request().method() === 'PATCH' && route.request().headers()['upload-length'] === undefined;
    return sending ? route.abort() : route.continue();
  });
  await stop(page);
  const recorded = await kept(page);
  const sendReported = page.waitForResponse(answer => answer.ok() && 'upload-length' in answer.request().headers());
  await button(page, 'Send').click();
  await sendReported;
  await heading(page, 'Sending').waitFor();
  await page.getByText('No connection.').waitFor();
  await page.close();
  const [clip] = await landed(harness, project);
  assert.equal(clip?.incomplete, true, 'the clip is marked incomplete');
  assert.notEqual(clip.sha256, recorded.sha256);
  await context.unroute('**/uploads/*');
  const later = await context.newPage();
  await later.goto(project.urls[0]!);
  await heading(later, 'Only part of it arrived').waitFor();
  await later.locator('#problem-text', { hasText: 'Only part of your video arrived in time.' }).waitFor();
  assert.equal(await saved(later), recorded.sha256, 'the saved file is the whole take');
  assert.equal((await kept(later)).takes, 1, 'the browser still has the take');
  await context.close();
});

test('a take that was never sent loses its place to others: busy while they record, lost once they have sent', async () => {
  const project = await harness.project({ sharedLinkEnabled: true, sharedLinkMaxUses: 1 });
  const context = await harness.context({ acceptDownloads: true });
  const mine = await context.newPage();
  await mine.goto(project.sharedUrl);
  await startRecording(mine);
  await recordedFor(mine, 2);
  await stop(mine);
  await mine.locator('#review-state', { hasText: '100% uploaded' }).waitFor();
  const recorded = await kept(mine);
  const other = await harness.page();
  await other.goto(project.sharedUrl);
  await until('a free place', async () => (await harness.sharedLink(project)).remainingUses === 1, {
    limitMs: 30_000,
  });
  assert.deepEqual(await harness.submissions(project), [], 'an unsent take is not delivered');
  await startRecording(other);
  await recordedFor(other, 1);
  await button(mine, 'Send').click();
  await heading(mine, 'Not sent yet').waitFor();
  await mine.getByText('Every spot on this link is taken right now. We’ll keep trying').waitFor();
  await stop(other);
  await button(other, 'Send').click();
  await heading(other, 'Your video has arrived').waitFor();
  await heading(mine, 'This video couldn’t be sent').waitFor();
  await mine.locator('#problem-text', { hasText: 'The link is no longer accepting videos.' }).waitFor();
  assert.equal(await saved(mine), recorded.sha256);
  await context.close();
  await other.context().close();
});

test('a take that was never sent is sent from the device later if its place is still free', async () => {
  const project = await harness.project();
  const page = await harness.page();
  await page.goto(project.urls[0]!);
  await startRecording(page);
  await recordedFor(page, 2);
  await stop(page);
  await page.locator('#review-state', { hasText: '100% uploaded' }).waitFor();
  const recorded = await kept(page);
  await until('the end of its hold', async () => (await harness.links(project))[0]?.remainingUses === 1, {
    limitMs: 30_000,
  });
  await button(page, 'Send').click();
  await heading(page, 'Your video has arrived').waitFor();
  const [clip] = await landed(harness, project);
  assert.equal(clip?.sha256, recorded.sha256);
  assert.equal(clip.incomplete, false);
  await page.context().close();
});
