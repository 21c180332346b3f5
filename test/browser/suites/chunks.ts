import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { button, heading, recordedFor, recordNow, stop } from '../actions.ts';
import { landed } from '../test-browser.ts';
import { harness } from './pages-harness.ts';

const CHUNK = /\/assets\/recorder-devices-[\w-]+\.js$/;
const MISSING = 'This part of the page did not load.';

/** Returns the URLs of the page's scripts in the order of their requests, and the errors in the console. */
function watch(page: Page): { scripts: string[]; complaints: string[] } {
  const [scripts, complaints]: [string[], string[]] = [[], []];
  page.on('request', request => request.resourceType() === 'script' && scripts.push(request.url()));
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', error => complaints.push(error.message));
  return { scripts, complaints };
}

async function cameraOn(page: Page): Promise<void> {
  await button(page, 'Turn on the camera').click();
  await page.locator('#ready-text', { hasText: 'We can see and hear you.' }).waitFor();
}

const choices = (page: Page) => page.locator('#camera option').count();

test('a chunk loads after the first view, by the nonce of the first script and a policy without trusted types', async () => {
  const project = await harness.project();
  const { headers } = await fetch(project.urls[0]!);
  assert.match(headers.get('content-security-policy') ?? '', /script-src 'nonce-[^']+';.*trusted-types 'none'/);
  const page = await harness.page({ device: 'cameras' });
  const { scripts, complaints } = watch(page);
  await page.goto(project.urls[0]!);
  await page.locator('html[data-ready]').waitFor();
  await page.waitForLoadState('networkidle');
  assert.equal(scripts.length, 1, 'the first view has one script');
  await cameraOn(page);
  await page.waitForFunction(() => document.querySelectorAll('#camera option').length === 2);
  assert.equal(scripts.length, 2);
  assert.match(scripts[1]!, CHUNK);
  for (const encoding of ['br', 'gzip']) {
    const chunk = await fetch(scripts[1]!, { headers: { 'accept-encoding': encoding } });
    assert.equal(chunk.headers.get('content-encoding'), encoding);
    assert.match(chunk.headers.get('cache-control') ?? '', /max-age=31536000, immutable/);
    assert.match(chunk.headers.get('content-type') ?? '', /^text\/javascript/);
    await chunk.arrayBuffer();
  }
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('the policy refuses a chunk that no script with the nonce asks for', async () => {
  const project = await harness.project();
  const page = await harness.page();
  const { scripts } = watch(page);
  await page.goto(project.urls[0]!);
  await page.locator('html[data-ready]').waitFor();
  const refused = await page.evaluate(async first => {
    const violation = new Promise<string>(resolve =>
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective)),
    );
    const loaded = import(`${first}?other`).then(() => 'loaded');
    return Promise.race([loaded.catch(() => violation), violation]);
  }, scripts[0]!);
  assert.equal(refused, 'script-src-elem');
  await page.context().close();
});

for (const [what, refuse] of [
  ['offline', 'abort'],
  ['with a chunk that the server no longer has', 'unknown'],
] as const) {
  test(`${what}, the page says which part is missing; the contributor records, and opens the part later`, async () => {
    const project = await harness.project();
    const page = await harness.page({ device: 'cameras' });
    await page.route(CHUNK, route => (refuse === 'abort' ? route.abort() : route.fulfill({ status: 404 })));
    await page.goto(project.urls[0]!);
    await cameraOn(page);
    await page.locator('#devices summary').click();
    await page.getByRole('alert').filter({ hasText: MISSING }).waitFor();
    assert.equal(await page.locator('#camera').isVisible(), false, 'the page shows no empty lists');
    await page.keyboard.press('Escape');
    await recordNow(page);
    await recordedFor(page, 1);
    await stop(page);
    await button(page, 'Record again').click();
    await button(page, 'Start recording').waitFor();
    await page.unroute(CHUNK);
    await page.locator('#devices summary').click();
    await page.locator('#camera').waitFor();
    assert.equal(await choices(page), 2);
    assert.equal(await page.getByText(MISSING).isVisible(), false);
    await page.keyboard.press('Escape');
    await button(page, 'Back to your video').click();
    await button(page, 'Send').click();
    await heading(page, 'Your video has arrived').waitFor();
    assert.equal((await landed(harness, project)).length, 1);
    await page.context().close();
  });
}
