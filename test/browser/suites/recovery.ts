import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@recording-request/testing/wait';
import type { Page } from 'playwright-core';
import { button, ending, heading, kept, recordedFor, recordNow, startRecording, stop, stored } from '../actions.ts';
import { landed } from '../test-browser.ts';
import { harness } from './recovery-harness.ts';

const arrived = (page: Page, timeout = 30_000) => heading(page, 'Your video has arrived').waitFor({ timeout });

test('a take survives a killed tab: the same link has it and can send it', async () => {
  const project = await harness.project();
  const context = await harness.context();
  const first = await context.newPage();
  await first.goto(project.urls[0]!);
  await startRecording(first);
  await stored(first, 4);
  // As in a crash, no handler of the page runs.
  await first.close({ runBeforeUnload: false });
  const page = await context.newPage();
  await page.goto(project.urls[0]!);
  await page.locator('#review-state', { hasText: 'Your video is still here.' }).waitFor();
  await page.locator('#review-state', { hasText: '100% uploaded' }).waitFor();
  const recorded = await kept(page);
  await button(page, 'Send').click();
  await arrived(page);
  const [clip] = await landed(harness, project);
  assert.equal(clip?.sha256, recorded.sha256);
  assert.equal(clip.fileSize > 0 && clip.incomplete === false, true);
  assert.ok(clip.durationSec >= 2, `${clip.durationSec} s`);
  await context.close();
});

test('an upload continues by itself after a network outage during a take', async () => {
  const project = await harness.project();
  const page = await harness.page();
  await page.goto(project.urls[0]!);
  await startRecording(page);
  await recordedFor(page, 2);
  await page.context().setOffline(true);
  await page.locator('#rec-safe', { hasText: 'Offline. Saved on this device.' }).waitFor();
  await recordedFor(page, 5);
  await stop(page);
  const safe = await page.locator('#review-state').textContent();
  assert.doesNotMatch(safe ?? '', /100%/, 'the page does not call missing bytes safe');
  await page.context().setOffline(false);
  await page.locator('#review-state', { hasText: '100% uploaded' }).waitFor();
  const recorded = await kept(page);
  await button(page, 'Send').click();
  await arrived(page);
  assert.equal((await landed(harness, project))[0]?.sha256, recorded.sha256);
  await page.context().close();
});

test('a take lands unchanged when requests and answers are lost repeatedly', async () => {
  const project = await harness.project();
  const page = await harness.page();
  let patches = 0;
  await page.route('**/uploads/*', async route => {
    if (route.request().method() !== 'PATCH') return route.continue();
    patches += 1;
    // Every second response is lost after the server has received the bytes. Every fifth request never arrives.
    if (patches % 5 === 0) return route.abort();
    if (patches % 2 === 0) {
      await route.fetch().catch(() => {});
      return route.abort();
    }
    return route.continue();
  });
  await page.goto(project.urls[0]!);
  await startRecording(page);
  await until('five requests with bytes, some of them lost', async () => patches >= 5, {
    limitMs: 30_000,
  });
  await stop(page);
  const recorded = await kept(page);
  await button(page, 'Send').click();
  await arrived(page);
  const found = await landed(harness, project);
  assert.equal(found.length, 1);
  assert.equal(found[0]?.sha256, recorded.sha256);
  await page.context().close();
});

test('without a network at Send the page says “Not sent yet” and sends later, also on a later visit', async () => {
  const project = await harness.project();
  const context = await harness.context();
  const page = await context.newPage();
  await page.goto(project.urls[0]!);
  await startRecording(page);
  await recordedFor(page, 2);
  await stop(page);
  await page.locator('#review-state', { hasText: '100% uploaded' }).waitFor();
  const recorded = await kept(page);
  await context.route('**/uploads/**', route => route.abort());
  await button(page, 'Send').click();
  await heading(page, 'Not sent yet').waitFor();
  await page.getByText('No connection.').waitFor();
  assert.deepEqual(await harness.submissions(project), []);
  await page.close();
  await context.unroute('**/uploads/**');
  const later = await context.newPage();
  await later.goto(project.urls[0]!);
  await arrived(later);
  assert.equal((await landed(harness, project))[0]?.sha256, recorded.sha256);
  await context.close();
});

/** Deletes the last stored piece of a take, as if the device had had no space for the piece. */
function loseLastPiece(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const settled = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await settled(indexedDB.open('recordings', 1));
    const chunks = database.transaction('chunks', 'readwrite').objectStore('chunks');
    const keys = await settled(chunks.getAllKeys());
    await settled(chunks.delete(keys.at(-1)!));
    database.close();
  });
}

test('a device that lost a part of a sent take reports it, and a new take arrives whole', async () => {
  const project = await harness.project();
  const context = await harness.context();
  const page = await context.newPage();
  await page.goto(project.urls[0]!);
  await startRecording(page);
  await stored(page, 2);
  // From here on, the page can report that the contributor pressed Send, but no bytes reach the server.
  await context.route('**/uploads/*', route => {
    const sending = route.request().method() === 'PATCH' && route.request().headers()['upload-length'] === undefined;
    return sending ? route.abort() : route.continue();
  });
  await stored(page, 4);
  await stop(page);
  const sendReported = page.waitForResponse(answer => answer.ok() && 'upload-length' in answer.request().headers());
  await button(page, 'Send').click();
  const upload = (await sendReported).url();
  await loseLastPiece(page);
  await page.close();
  await context.unroute('**/uploads/*');
  const later = await context.newPage();
  await later.goto(project.urls[0]!);
  await ending(later, 'Only part of it arrived');
  await later.locator('#problem-text', { hasText: 'Please record again.' }).waitFor();
  await later.getByRole('link', { name: 'Save video to this device' }).waitFor();
  await button(later, 'Try again').click();
  await recordNow(later);
  const part = await fetch(upload, { method: 'HEAD', headers: { 'Tus-Resumable': '1.0.0' } });
  assert.ok(part.ok && Number(part.headers.get('upload-offset')) > 0, 'the server keeps the received bytes');
  await recordedFor(later, 1);
  await stop(later);
  const recorded = await kept(later);
  await button(later, 'Send').click();
  await arrived(later);
  const found = await landed(harness, project);
  assert.deepEqual(
    found.map(({ sha256, incomplete }) => [sha256, incomplete]),
    [[recorded.sha256, false]],
  );
  await context.close();
});

test('a take that a full device kept only in part is not sent as a whole take', async () => {
  const project = await harness.project();
  const context = await harness.context();
  const page = await context.newPage();
  await page.goto(project.urls[0]!);
  await startRecording(page);
  await stored(page, 2);
  // From here on, the page cannot send, and the device has no space for the rest of the take.
  await context.route('**/uploads/*', route =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  );
  await page.evaluate(() => {
    const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...all: Parameters<typeof put>) {
      if (this.name === 'chunks') throw new DOMException('full', 'QuotaExceededError');
      return put.apply(this, all);
    };
  });
  await recordedFor(page, 5);
  await stop(page);
  await page.close();
  await context.unroute('**/uploads/*');
  const later = await context.newPage();
  await later.goto(project.urls[0]!);
  await later.locator('#review-state', { hasText: 'Only part of it is saved on this device' }).waitFor();
  assert.doesNotMatch((await later.locator('#review-state').textContent()) ?? '', /Your video is still here|100%/);
  await button(later, 'Send').click();
  await heading(later, 'Only part of it arrived').waitFor();
  await later.locator('#problem-text', { hasText: 'Please record again.' }).waitFor();
  assert.deepEqual(await harness.submissions(project), [], 'a part is not delivered as a whole take');
  await context.close();
});

test('if the answer to the last bytes is lost, the page finds out that the take has arrived', async () => {
  const project = await harness.project();
  const page = await harness.page();
  await page.goto(project.urls[0]!);
  await startRecording(page);
  await recordedFor(page, 2);
  await stop(page);
  await page.locator('#review-state', { hasText: '100% uploaded' }).waitFor();
  let lost = 0;
  await page.route('**/uploads/*', async route => {
    if (route.request().method() !== 'PATCH' || lost > 0) return route.continue();
    lost += 1;
    await route.fetch();
    return route.abort();
  });
  await button(page, 'Send').click();
  await arrived(page);
  assert.equal(lost, 1);
  assert.equal((await landed(harness, project)).length, 1);
  await page.context().close();
});

test('a take survives the kill of each server during it', async () => {
  const project = await harness.project();
  const page = await harness.page();
  await page.goto(project.urls[0]!);
  await startRecording(page);
  await recordedFor(page, 2);
  harness.system.kill('submissions', 'SIGKILL');
  await recordedFor(page, 4);
  harness.system.kill('gateway', 'SIGKILL');
  await recordedFor(page, 5);
  await stop(page);
  const recorded = await kept(page);
  await button(page, 'Send').click();
  // Two services restart, and the page waits up to 15 s before a retry.
  await arrived(page, 90_000);
  assert.equal((await landed(harness, project))[0]?.sha256, recorded.sha256);
  await page.context().close();
});

test('a link with a trailing full stop, opened while the service is down, loads its page later without a script', async () => {
  const project = await harness.project();
  const page = await harness.page({ javaScriptEnabled: false, locale: 'de-DE' });
  harness.system.kill('projects', 'SIGSTOP');
  try {
    const answer = await page.goto(`${project.urls[0]}.`);
    assert.equal(answer?.status(), 503);
    assert.ok(Number(answer.headers()['retry-after']) > 0);
    await ending(page, 'Einen Moment bitte');
    await page.getByText('Sie müssen nichts tun').waitFor();
    assert.equal(page.url(), project.urls[0]);
  } finally {
    harness.system.kill('projects', 'SIGCONT');
  }
  await heading(page, 'Stories').waitFor();
  await page.context().close();
});

test('an interview survives a reload between questions and during an answer', async () => {
  const questions = ['Who are you?', 'What do you do?', `What is next? ${'Take your time. '.repeat(30)}`.trim()];
  const project = await harness.project({ interviewQuestions: questions, showSuccessDialog: true });
  const page = await harness.page();
  await page.goto(project.urls[0]!);
  for (const question of questions) await page.getByRole('listitem').filter({ hasText: question }).waitFor();
  const answer = async () => {
    await recordedFor(page, 2);
    await stop(page);
    await button(page, 'Send').click();
  };
  await button(page, 'Turn on the camera').click();
  await page.locator('#capture-count', { hasText: 'Question 1 of 3' }).waitFor();
  assert.equal(await page.locator('#capture-question').textContent(), questions[0]);
  await recordNow(page);
  await answer();
  await page.locator('#capture-count', { hasText: 'Question 2 of 3' }).waitFor();
  await page.reload();
  await page.locator('#welcome-back', { hasText: 'Next up: question 2 of 3' }).waitFor();
  await startRecording(page);
  await answer();
  await page.locator('#capture-count', { hasText: 'Question 3 of 3' }).waitFor();
  await recordNow(page);
  await stored(page, 2);
  page.on('dialog', dialog => void dialog.accept());
  await page.reload();
  await page.locator('#review-state', { hasText: 'Your video is still here.' }).waitFor();
  assert.equal(await page.locator('#review-question').textContent(), questions[2]);
  await page.setViewportSize({ width: 390, height: 700 });
  const send = await button(page, 'Send').boundingBox();
  assert.ok(send && send.y + send.height <= 700, 'a long question leaves Send in view');
  await button(page, 'Send').click();
  await page.getByText('Thank you. Your video has arrived.').waitFor();
  await button(page, 'Close').click();
  await page.waitForURL('**/thank-you**');
  await heading(page, 'Thank you').waitFor();
  const found = await landed(harness, project, 3);
  assert.deepEqual(found.map(({ questionIndex }) => questionIndex).sort(), [0, 1, 2]);
  await page.context().close();
});

test('a second tab waits for the first', async () => {
  const project = await harness.project();
  const context = await harness.context();
  const [first, second] = [await context.newPage(), await context.newPage()];
  await first.goto(project.urls[0]!);
  await first.locator('html[data-ready]').waitFor();
  await second.goto(project.urls[0]!);
  await second.getByText('This link is open in another tab.').waitFor();
  assert.equal(await button(second, 'Turn on the camera').isDisabled(), true);
  await first.close();
  await second.locator('html[data-ready]').waitFor();
  assert.equal(await button(second, 'Turn on the camera').isEnabled(), true);
  await context.close();
});
