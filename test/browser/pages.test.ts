import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mintToken } from '@recording-request/contract/tokens';
import { waitFor } from '@recording-request/stack/wait';
import { checkAccessibility } from './accessibility.ts';
import { button, heading, recordedFor, recordNow, startRecording, stop } from './actions.ts';
import { type Bench, landed, openBench } from './bench.ts';
import { HOSTILE } from './xss.ts';

const SCRIPT_BUDGET_BYTES = 60 * 1024;
const LANGUAGES = ['ar', 'de', 'en', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt', 'tr'];

let bench: Bench;
before(async () => {
  // Projects of the bench never expire, but for the one that takes the default.
  bench = await openBench({ LINK_EXPIRY_DEFAULT_SECONDS: '1' });
});
after(() => bench?.[Symbol.asyncDispose]());

test('axe finds nothing on any screen, light and dark', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const project = await bench.project({
      requireTerms: true,
      termsText: 'Be kind.',
      noteEnabled: true,
      requestUrl: 'https://example.org/brief',
      showSuccessDialog: true,
    });
    const page = await bench.page({ colorScheme, viewport: { width: 390, height: 760 } });
    await page.goto(project.urls[0]!);
    await page.locator('html[data-ready]').waitFor();
    await page.locator('.languages summary').click();
    await checkAccessibility(page, 'languages');
    await page.keyboard.press('Escape');
    await page.getByText('Read the terms').click();
    await checkAccessibility(page, 'welcome');
    await button(page, 'Turn on the camera').click();
    await checkAccessibility(page, 'welcome with a problem');
    await page.getByLabel('I accept the terms').check();
    await button(page, 'Turn on the camera').click();
    await page.locator('#ready-text', { hasText: 'We can see and hear you.' }).waitFor();
    await page.locator('#devices summary').click();
    await checkAccessibility(page, 'stage');
    await page.locator('#devices summary').click();
    await button(page, 'Start recording').click();
    await button(page, 'Stop').waitFor();
    await checkAccessibility(page, 'recording');
    await recordedFor(page, 1);
    await stop(page);
    await checkAccessibility(page, 'review');
    await page.route('**/uploads/*', route => route.abort());
    await button(page, 'Send').click();
    await page.getByText('The connection is gone.').waitFor();
    await checkAccessibility(page, 'not sent yet');
    await page.unroute('**/uploads/*');
    await button(page, 'Close').waitFor();
    await checkAccessibility(page, 'success dialog');
    await button(page, 'Close').click();
    await checkAccessibility(page, 'arrived');
    for (const path of ['/thank-you', '?lang=ar', 'x']) {
      await page.goto(`${project.urls[0]}${path}`);
      await checkAccessibility(page, path);
    }
    await page.context().close();
  }
});

test('refused links tell so kindly, and change nothing', async () => {
  const shared = { sharedLinkEnabled: true, sharedLinkMaxUses: 1, interviewQuestions: [] };
  const used = await bench.project(shared);
  const page = await bench.page();
  await page.goto(used.sharedUrl);
  await startRecording(page);
  await recordedFor(page, 1);
  await stop(page);
  await button(page, 'Send').click();
  await heading(page, 'It has arrived').waitFor();
  await landed(bench, used);
  await page.context().close();

  const disabled = await bench.project();
  const [link] = await bench.links(disabled);
  await bench.api('PATCH', `/api/projects/${disabled.projectId}/links/${link?.tokenId}`, { disabled: true });
  const expired = await bench.project({ neverExpire: false });
  await waitFor(
    'the link has expired',
    async () => ((await bench.links(expired))[0]?.status === 'expired' ? true : undefined),
    { timeoutMs: 10_000 },
  );
  const base = bench.constellation.baseUrl;
  for (const [url, title, status] of [
    [used.sharedUrl, 'This link has been used', 410],
    [disabled.urls[0]!, 'This link is closed', 410],
    [expired.urls[0]!, 'This link has expired', 410],
    [`${base}/r/${mintToken('vr')}`, 'This link does not exist', 404],
    [`${base}/r/nonsense`, 'This link does not exist', 404],
  ] as const) {
    const visitor = await bench.page();
    const answer = await visitor.goto(url);
    assert.equal(answer?.status(), status, title);
    await heading(visitor, title).waitFor();
    assert.equal(await visitor.getByRole('button').count(), 0, 'nothing to press');
    await checkAccessibility(visitor, title);
    await visitor.context().close();
  }
});

test('a link that is closed while somebody looks at its page refuses to begin, and says so', async () => {
  const project = await bench.project();
  const page = await bench.page();
  await page.goto(project.urls[0]!);
  const [link] = await bench.links(project);
  await bench.api('PATCH', `/api/projects/${project.projectId}/links/${link?.tokenId}`, { disabled: true });
  await button(page, 'Turn on the camera').click();
  await page.locator('#ready-text', { hasText: 'We can see and hear you.' }).waitFor();
  await button(page, 'Start recording').click();
  await heading(page, 'Recording could not begin').waitFor();
  await page.locator('#problem-text', { hasText: 'This link takes no more recordings.' }).waitFor();
  await checkAccessibility(page, 'could not begin');
  await page.context().close();
});

test('hostile texts are shown as they are, and execute nothing', async () => {
  const all = HOSTILE.join('\n');
  const page = await bench.page();
  const executed: string[] = [];
  page.on('dialog', dialog => {
    executed.push(dialog.message());
    void dialog.dismiss();
  });
  for (const [at, hostile] of HOSTILE.entries()) {
    const project = await bench.project({
      projectName: hostile,
      requestUrl: `https://example.org/${encodeURI(hostile)}`,
      requireTerms: true,
      termsLabel: hostile,
      termsText: all,
      interviewQuestions: [hostile, 'And?'],
      showSuccessDialog: true,
      successMessage: all.slice(0, 2_000),
      noteEnabled: true,
    });
    await page.goto(project.urls[0]!);
    await page.locator('html[data-ready]').waitFor();
    assert.equal(await page.locator('h1').first().textContent(), hostile);
    assert.equal(await page.locator('#terms-box label').textContent(), ` ${hostile}`);
    const injected = await page.evaluate(
      () =>
        document.querySelectorAll('img, iframe, object, embed, base, form, math, body *[onload], *[onerror]').length,
    );
    assert.equal(injected, 0, hostile);
    // The screens of the script put every text in by one way: two of them walked through show it for each field.
    if (at > 0) continue;
    await page.getByLabel(hostile).check();
    await startRecording(page);
    assert.equal(await page.locator('#stage-question').textContent(), hostile);
    await recordedFor(page, 1);
    await stop(page);
    await page.getByLabel('Add a note, if you like').fill(all.slice(0, 2_000));
    await button(page, 'Send').click();
    await page.locator('#stage-count', { hasText: 'Question 2 of 2' }).waitFor();
    await recordNow(page);
    await recordedFor(page, 1);
    await stop(page);
    await button(page, 'Send').click();
    await button(page, 'Close').waitFor();
    assert.equal(await page.locator('#success-text').textContent(), all.slice(0, 2_000));
    const [first] = (await landed(bench, project, 2)).filter(({ questionIndex }) => questionIndex === 0);
    assert.equal(first?.note, all.slice(0, 2_000));
  }
  assert.deepEqual(executed, []);
  await page.context().close();
});

test('the script is small, kept for long, and the page reads without it', async () => {
  const project = await bench.project({ requireTerms: true });
  const context = await bench.context({ javaScriptEnabled: false });
  const page = await context.newPage();
  const answer = await page.goto(project.urls[0]!);
  await heading(page, 'Stories').waitFor();
  await page.getByText('It is delivered only when you press Send.').waitFor();
  const document = await answer!.text();
  await context.close();
  assert.match(document, /<noscript><p class="warning">Recording needs JavaScript\./);
  const source = /<script src="([^"]+)"/.exec(document)?.[1] ?? '';
  const url = new URL(source, bench.constellation.baseUrl);
  for (const encoding of ['br', 'gzip']) {
    const script = await fetch(url, { headers: { 'accept-encoding': encoding } });
    assert.equal(script.headers.get('content-encoding'), encoding);
    assert.match(script.headers.get('cache-control') ?? '', /max-age=31536000, immutable/);
    assert.match(await script.text(), /^"use strict"|^\(\(\)=>/);
    const size = Number(script.headers.get('content-length'));
    assert.ok(size > 0 && size <= SCRIPT_BUDGET_BYTES, `${encoding}: ${size} bytes`);
  }
});

test('the policies: one nonce an answer, nothing from elsewhere, no referrer', async () => {
  const project = await bench.project();
  const nonces = new Set<string>();
  for (let visit = 0; visit < 2; visit++) {
    const { headers } = await fetch(project.urls[0]!);
    const policy = headers.get('content-security-policy') ?? '';
    nonces.add(/script-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? '');
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.match(headers.get('permissions-policy') ?? '', /camera=\(self\), microphone=\(self\)/);
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('cache-control'), 'no-store');
  }
  assert.equal(nonces.size, 2);
  const page = await bench.page();
  const elsewhere: string[] = [];
  page.on('request', request => {
    const { origin } = new URL(request.url());
    if (origin !== bench.constellation.baseUrl && !/^(blob|data):/.test(request.url())) elsewhere.push(request.url());
  });
  const complaints: string[] = [];
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(project.urls[0]!);
  await startRecording(page);
  await recordedFor(page, 1);
  await stop(page);
  assert.deepEqual([elsewhere, complaints], [[], []]);
  await page.context().close();
});

test('the page speaks the language of the browser, or the one that was picked', async () => {
  const project = await bench.project();
  const page = await bench.page({ locale: 'de-AT' });
  await page.goto(project.urls[0]!);
  await button(page, 'Kamera einschalten').waitFor();
  await page.locator('.languages summary').click();
  assert.deepEqual(
    await page.locator('.languages a').evaluateAll(all => all.map(each => each.getAttribute('lang'))),
    LANGUAGES,
  );
  await page.getByRole('link', { name: 'العربية' }).click();
  await button(page, 'شغّل الكاميرا').waitFor();
  assert.equal(await page.locator('html').getAttribute('dir'), 'rtl');
  assert.equal(await page.locator('html').getAttribute('lang'), 'ar');
  await page.context().close();
});
