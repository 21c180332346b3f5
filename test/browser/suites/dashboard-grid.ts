import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { until } from '@recording-request/testing/wait';
import type { Route } from 'playwright-core';
import { copyClip } from '../dashboard-seed.ts';
import type { Project } from '../test-browser.ts';
import { cards, full, harness, openPage, people, started, weather } from './dashboard-harness.ts';

let long: Project;

before(async () => {
  await started();
  long = await harness.project({ projectName: 'Fifty', count: 1 });
  await copyClip(harness, people.submissionId, 40, index => ({
    projectId: long.projectId,
    note: `number ${index + 1}`,
    transcriptText: index < 30 ? 'apples and pears' : 'plums and pears',
  }));
});

test('on a phone the first clip is in view at once, and pictures keep the shape of their clip', async () => {
  const page = await openPage(harness, full.dashboardUrl, { viewport: { width: 390, height: 844 } });
  const box = await cards(page).first().boundingBox();
  assert.ok(box && box.y < 390, `the first clip begins at ${box?.y} px`);
  const picture = page.locator(`[data-id="${weather.submissionId}"] img`);
  await picture.scrollIntoViewIfNeeded();
  await page.waitForFunction(
    id => (document.querySelector(`[data-id="${id}"] img`) as HTMLImageElement | null)?.naturalWidth,
    weather.submissionId,
  );
  const shape = await picture.evaluate((image: HTMLImageElement) => {
    const frame = image.closest('.frame')!.getBoundingClientRect();
    const { left, right, top, bottom } = image.getBoundingClientRect();
    return {
      upright: image.naturalHeight > image.naturalWidth,
      fit: getComputedStyle(image).objectFit,
      inside: left >= frame.left && right <= frame.right && top >= frame.top && bottom <= frame.bottom,
    };
  });
  assert.deepEqual(shape, { upright: true, fit: 'contain', inside: true });
  await page.context().close();
});

test('a search filters the loaded clips with each letter, and asks the server once the reader pauses', async () => {
  const context = await harness.context();
  const page = await context.newPage();
  await page.clock.install();
  await page.goto(long.dashboardUrl);
  await page.locator('html[data-ready]').waitFor();
  assert.equal(await cards(page).count(), 24);
  const asked: string[] = [];
  const failed: string[] = [];
  const wordsOf = (url: string) => new URL(url).searchParams.get('q');
  const held: Route[] = [];
  await page.route('**/submissions?*q=*', route => {
    asked.push(String(wordsOf(route.request().url())));
    if (asked.length === 1) held.push(route);
    else void route.continue();
  });
  page.on('requestfailed', request => failed.push(String(wordsOf(request.url()))));
  await page.clock.pauseAt(new Date(Date.now() + 3_600_000));
  await page.getByRole('searchbox').focus();
  // Time does not pass while the reader types, so only the loaded clips can answer.
  await page.keyboard.type('1');
  await page.waitForFunction(() => document.querySelectorAll('.clip:not(.skeleton)').length === 12);
  await page.keyboard.type('1');
  await page.waitForFunction(() => document.querySelectorAll('.clip:not(.skeleton)').length === 1);
  assert.equal(await page.locator('mark').first().textContent(), '11');
  assert.deepEqual(asked, [], 'no request while the reader types');
  await page.clock.runFor(300);
  await until('the first request', async () => asked.length === 1);
  assert.equal(await page.evaluate(() => location.search), '?q=11');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('plums');
  // No loaded clip has the word, but the server finds ten.
  await page.clock.runFor(300);
  await page.waitForFunction(() => document.querySelectorAll('.clip:not(.skeleton)').length === 10);
  assert.deepEqual(asked, ['11', 'plums']);
  await until('the end of the first request', async () => failed.length > 0);
  assert.deepEqual(failed, ['11'], 'the request for the earlier words was aborted');
  await Promise.all(held.map(route => route.abort().catch(() => {})));
  await page.getByRole('searchbox').fill('');
  await page.clock.runFor(300);
  await page.waitForFunction(() => document.querySelectorAll('.clip:not(.skeleton)').length === 24);
  assert.equal(await page.evaluate(() => location.search), '');
  await context.close();
});
