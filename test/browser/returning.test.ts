import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { checkAccessibility } from './accessibility.ts';
import { button, ending, heading, recordedFor, recordNow, startRecording, stop } from './actions.ts';
import { landed, startTestBrowser, type TestBrowser } from './test-browser.ts';
import { HOSTILE } from './xss.ts';

// Tests the reference in the address of a shared link, and the way back to the owner's site.

let harness: TestBrowser;
before(async () => {
  harness = await startTestBrowser();
});
after(() => harness?.[Symbol.asyncDispose]());

const SHARED = { sharedLinkEnabled: true, acceptReference: true };
const RETURN_URL = 'https://shop.example/thanks?order={reference}&code={code}';
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

const withRef = (url: string, reference: string) => `${url}?ref=${encodeURIComponent(reference)}`;

/** Records the visits to the owner's site. */
async function shop(page: Page): Promise<URL[]> {
  const visits: URL[] = [];
  await page.context().route('https://shop.example/**', route => {
    visits.push(new URL(route.request().url()));
    return route.fulfill({ contentType: 'text/html', body: '<h1>The shop</h1>' });
  });
  return visits;
}

async function sendTake(page: Page): Promise<void> {
  await recordedFor(page, 1);
  await stop(page);
  await button(page, 'Send').click();
}

/** Returns the references that the page sends with its claims. */
function claimsOf(page: Page): (string | undefined)[] {
  const sent: (string | undefined)[] = [];
  page.on('request', request => {
    if (request.method() === 'POST' && request.url().endsWith('/responses'))
      sent.push(request.postDataJSON().reference);
  });
  return sent;
}

test('a contributor sees where they go after the last clip, and goes there with the reference and the code', async () => {
  const project = await harness.project({ ...SHARED, returnUrl: RETURN_URL });
  const page = await harness.page(PHONE);
  const visits = await shop(page);
  const claims = claimsOf(page);
  await page.goto(withRef(project.sharedUrl, 'P-17 & <b>'));
  await page.reload();
  await startRecording(page);
  await sendTake(page);
  await heading(page, 'Your video has arrived').waitFor();
  const onward = page.getByRole('link', { name: 'Continue to shop.example', exact: true });
  await onward.waitFor();
  await button(page, 'Record another').waitFor();
  await checkAccessibility(page, 'the way back');
  assert.equal(visits.length, 0, 'nobody is sent away without a press');
  assert.deepEqual(claims, ['P-17 & <b>']);
  await page.reload();
  await page.locator('#done-text', { hasText: 'You’ve already sent your video' }).waitFor();
  await onward.click();
  await heading(page, 'The shop').waitFor();
  const visit = visits.at(-1);
  assert.equal(visit?.searchParams.get('order'), 'P-17 & <b>');
  assert.match(visit?.searchParams.get('code') ?? '', /^[0-9A-HJKMNP-TV-Z]{8}$/);
  await page.context().close();
});

test('the tick between two questions comes only after the server has confirmed the answer', async () => {
  const project = await harness.project({ interviewQuestions: ['One?', 'Two?'] });
  const page = await harness.page(PHONE);
  await page.goto(project.urls[0]!);
  await startRecording(page);
  await recordedFor(page, 1);
  await stop(page);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/responses/*', async route => {
    if (route.request().method() === 'GET') await held;
    await route.continue();
  });
  const asked = page.waitForRequest(request => request.method() === 'GET' && /\/responses\//.test(request.url()));
  await button(page, 'Send').click();
  await asked;
  await heading(page, 'Sending…').waitFor();
  assert.equal(await page.locator('.mark.good').filter({ visible: true }).count(), 0, 'no tick before the answer');
  release();
  await ending(page, 'Answer 1 has arrived');
  assert.equal(await page.locator('#done-next').textContent(), 'Next up: question 2 of 2.');
  await page.locator('#capture-count', { hasText: 'Question 2 of 2' }).waitFor();
  await page.context().close();
});

test('after an interview a shared link takes another response with the same reference', async () => {
  const project = await harness.project({ ...SHARED, sharedLinkMaxUses: 2, interviewQuestions: ['One?'] });
  const page = await harness.page(PHONE);
  const claims = claimsOf(page);
  await page.goto(withRef(project.sharedUrl, 'P-17'));
  await startRecording(page);
  await sendTake(page);
  await ending(page, 'Thank you');
  await page.getByRole('link', { name: 'Record another', exact: true }).click();
  await startRecording(page);
  await sendTake(page);
  await ending(page, 'Thank you');
  assert.equal((await landed(harness, project, 2)).length, 2);
  assert.deepEqual(claims, ['P-17', 'P-17']);
  assert.equal(await page.getByRole('link', { name: 'Record another' }).count(), 0, 'the link has no uses left');
  await page.context().close();
});

test('an interview ends on the thank-you page with the same button, in each language', async () => {
  const project = await harness.project({ interviewQuestions: ['One?'], returnUrl: 'https://shop.example:8443/x' });
  const page = await harness.page();
  await page.goto(project.urls[0]!);
  await startRecording(page);
  await sendTake(page);
  await ending(page, 'Thank you');
  const onward = page.getByRole('link', { name: 'Continue to shop.example:8443', exact: true });
  await onward.waitFor();
  await checkAccessibility(page, 'the thank-you page');
  await page.locator('.languages summary').click();
  await page.getByRole('link', { name: 'Deutsch' }).click();
  await page.getByRole('link', { name: 'Weiter zu shop.example:8443', exact: true }).waitFor();
  await page.context().close();
});

test('the reference survives a change of language and the way to a phone', async () => {
  const project = await harness.project(SHARED);
  const page = await harness.page({ device: 'none' });
  await page.goto(withRef(project.sharedUrl, 'P-17'));
  await page.locator('html[data-ready]').waitFor();
  await page.locator('.languages summary').click();
  await page.getByRole('link', { name: 'Nederlands' }).click();
  await page.locator('html[lang=nl][data-ready]').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('ref'), 'P-17');
  const qrCode = page.waitForRequest(/qr\.png/);
  await page.locator('#start').click();
  assert.equal(new URL((await qrCode).url()).searchParams.get('ref'), 'P-17');
  await page.locator('#copy-link').click();
  await page.locator('#elsewhere-told:not([hidden])').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), withRef(project.sharedUrl, 'P-17'));
  await page.context().close();
});

test('two people with two references on one device have two responses', async () => {
  const project = await harness.project({ ...SHARED, interviewQuestions: ['One?', 'Two?'] });
  const page = await harness.page();
  const claims = claimsOf(page);
  await page.goto(withRef(project.sharedUrl, 'P-1'));
  await startRecording(page);
  await sendTake(page);
  await page.locator('#capture-count', { hasText: 'Question 2 of 2' }).waitFor();
  await page.goto(withRef(project.sharedUrl, 'P-2'));
  await button(page, 'Turn on the camera').click();
  await page.locator('#capture-count', { hasText: 'Question 1 of 2' }).waitFor();
  await recordNow(page);
  await page.goto(withRef(project.sharedUrl, 'P-1'));
  await page.locator('#welcome-back', { hasText: 'Next up: question 2 of 2.' }).waitFor();
  assert.deepEqual(claims.slice(0, 2), ['P-1', 'P-2']);
  assert.equal((await landed(harness, project)).length, 1);
  await page.context().close();
});

test('a reference that is HTML, too long or has control characters executes nothing and changes nothing', async () => {
  const project = await harness.project(SHARED);
  const page = await harness.page({ device: 'none' });
  page.on('dialog', () => assert.fail('a reference was executed'));
  const kept = () => page.evaluate(() => JSON.parse(document.getElementById('settings')!.textContent!).reference);
  for (const reference of HOSTILE) {
    await page.goto(withRef(project.sharedUrl, reference));
    await page.locator('html[data-ready]').waitFor();
    assert.equal(await kept(), reference);
  }
  for (const reference of ['x'.repeat(5_000), 'a\u0000b', 'a\nb', ' '])
    for (const [url, expected] of [
      [withRef(project.sharedUrl, reference), ''],
      [withRef(project.urls[0]!, 'P-17'), ''],
    ] as const) {
      const answer = await page.goto(url);
      assert.equal(answer?.status(), 200);
      await page.locator('html[data-ready]').waitFor();
      assert.equal(await kept(), expected);
    }
  await page.context().close();
});
