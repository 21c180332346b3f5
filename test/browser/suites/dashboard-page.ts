import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { startReceiver } from '@recording-request/harness/webhook-receiver';
import { until } from '@recording-request/testing/wait';
import type { Page } from 'playwright-core';
import { checkAccessibility } from '../accessibility.ts';
import { button } from '../actions.ts';
import { copyClip, deliver } from '../dashboard-seed.ts';
import type { Project } from '../test-browser.ts';
import { HOSTILE } from '../xss.ts';
import {
  cards,
  full,
  giveToken,
  harness,
  openPage,
  PEOPLE,
  people,
  playback,
  started,
  viewer,
  weather,
} from './dashboard-harness.ts';

const SCRIPT_BUDGET_BYTES = { br: 20_000, gzip: 40 * 1024 };
const PHONE = { width: 360, height: 640 };
const DESKTOP = { width: 1280, height: 800 };

let interview: Project;
/** A token with write access. */
let writer: string;

before(async () => {
  await started();
  interview = await harness.project({ projectName: 'Working here', interviewQuestions: ['What made you join?'] });
  writer = await harness.tokenWith(['projects:write']);
});

test('hostile texts are shown unchanged and execute nothing', async () => {
  const project = await harness.project({ projectName: 'Hostile', count: 1 });
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  await copyClip(harness, people.submissionId, HOSTILE.length, index => {
    const text = HOSTILE[index] as string;
    return {
      projectId: project.projectId,
      note: text,
      reviewNote: text,
      transcriptText: text,
      transcriptVtt: `WEBVTT\n\n00:00.000 --> 00:03.000\n${index % 2 === 0 ? escaped(text) : text}\n`,
      mediaError: text,
      mediaStatus: 'failed',
      interview: true,
      questionIndex: 0,
      questionText: text,
    };
  });
  const page = await openPage(harness, project.dashboardUrl);
  const executed: string[] = [];
  page.on('dialog', dialog => {
    executed.push(dialog.message());
    void dialog.dismiss();
  });
  for (const [at, hostile] of HOSTILE.entries()) {
    await harness.api('PATCH', `/api/projects/${project.projectId}`, { projectName: hostile });
    await page.goto(`${project.dashboardUrl}?q=${encodeURIComponent(hostile)}`);
    await page.locator('html[data-ready]').waitFor();
    assert.equal(await page.locator('h1').textContent(), hostile);
    assert.equal(await page.getByRole('searchbox').inputValue(), hostile);
    const card = cards(page).first();
    assert.equal(await card.locator('.question').textContent(), `1. ${hostile}`);
    if (at % 5 > 0) continue;
    // The script inserts every text in the same way, so these open clips cover all fields.
    await card.getByRole('link').click();
    await viewer(page).locator('.cue').waitFor();
    for (const place of ['.viewer-right', '#states', '#viewer-title'])
      assert.ok((await viewer(page).locator(place).textContent())?.includes(hostile), `${place}: ${hostile}`);
    const injected = await page.evaluate(
      () =>
        document.querySelectorAll('iframe, object, embed, base, math, svg, body *[onload], *[onerror], *[onfocus]')
          .length,
    );
    assert.equal(injected, 0, hostile);
  }
  assert.deepEqual(executed, []);
  await page.context().close();
});

/** Fails if axe reports a violation or the page is too wide. */
async function fits(page: Page, what: string): Promise<void> {
  await checkAccessibility(page, what);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${what} is ${wide} px too wide`);
}

/** Fails unless date, length and size appear in this order, with a left-to-right date and with a right-to-left date. */
async function readsInOrder(page: Page): Promise<void> {
  const [date, ...others] = await page.locator('#viewer-when').evaluate(line =>
    [...line.childNodes].map(node => {
      const range = document.createRange();
      range.selectNodeContents(node);
      // For a text on two lines, uses the box of the second line.
      const { left, right, top } = [...range.getClientRects()].at(-1) ?? new DOMRect();
      return { text: node.textContent, left, right, top };
    }),
  );
  let [end, line] = [date?.right ?? 0, date?.top ?? 0];
  for (const { text, left, right, top } of others) {
    const follows = left >= end - 1 || top > line + 1;
    assert.ok(follows, `“${text}” starts at ${left}, before the end of the previous text at ${end}`);
    [end, line] = [right, top];
  }
  assert.ok(others.length >= 2, 'the length or the size is missing');
}

for (const [colorScheme, viewport, whole, contrast] of [
  ['light', PHONE, true, 'no-preference'],
  ['dark', DESKTOP, true, 'no-preference'],
  ['dark', PHONE, false, 'more'],
  ['light', DESKTOP, false, 'no-preference'],
] as const) {
  // The tests of the whole page also use Arabic dates, which run from right to left.
  const locale = whole ? 'ar-EG' : 'en-GB';
  test(`axe finds nothing at ${viewport.width} pixels, ${colorScheme}, ${locale}, and nothing is cut off`, async () => {
    const look = { colorScheme, contrast, viewport, reducedMotion: 'reduce' } as const;
    const page = await openPage(harness, full.dashboardUrl, { locale, ...look });
    await fits(page, 'clips');
    await cards(page).last().getByRole('link').click();
    await viewer(page).locator('.cue').first().click();
    await page.locator('.cue[aria-current]').waitFor();
    await fits(page, 'viewer');
    await readsInOrder(page);
    const shown = await page.locator('video').evaluate((video: HTMLVideoElement) => {
      const { width, height } = video.getBoundingClientRect();
      return Math.round(Math.min(width, (height * video.videoWidth) / video.videoHeight));
    });
    assert.ok(viewport !== PHONE || shown >= 0.8 * PHONE.width, `an upright clip is ${shown} px wide on a phone`);
    await page.keyboard.press('Escape');
    if (whole) {
      await button(page, 'Review clips').click();
      await giveToken(page, 'api_x');
      await page.getByText('A token starts with').waitFor();
      await fits(page, 'token');
      await giveToken(page, writer);
      await page.locator('[data-select]').first().waitFor();
      await cards(page).last().getByRole('link').click();
      await page.getByLabel('Review note').waitFor();
      await fits(page, 'review');
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'Links', exact: true }).click();
      await fits(page, 'links');
      await page.getByRole('link', { name: 'Downloads', exact: true }).click();
      await fits(page, 'downloads');
      await page.goto(`${interview.dashboardUrl}?q=nothing`);
      await fits(page, 'nothing found');
      await page.goto(`${interview.dashboardUrl}x`);
      await fits(page, 'unknown');
    }
    await page.context().close();
  });
}

test('the keyboard alone leads to a clip, through it and back', async () => {
  const page = await openPage(harness, full.dashboardUrl);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to clips');
  await page.keyboard.press('Enter');
  const focused = () =>
    page.evaluate(
      () => document.activeElement?.closest('[data-id]')?.getAttribute('data-id') ?? document.activeElement?.id,
    );
  for (let presses = 0; (await focused()) !== people.submissionId; presses++) {
    assert.ok(presses < 15, 'Tab leads to the clips');
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await viewer(page).waitFor();
  assert.equal(await focused(), 'viewer-title', 'the dialog’s title has the focus');
  // The clip plays, Space pauses and continues it, and the next clip plays too.
  await playback(page, 'plays');
  await page.keyboard.press('Space');
  await playback(page, 'paused');
  await page.keyboard.press('Space');
  await playback(page, 'plays');
  await page.keyboard.press('ArrowRight');
  await page.locator('.cue', { hasText: 'good' }).first().waitFor();
  await playback(page, 'plays');
  for (let presses = 0; !(await page.evaluate(() => document.activeElement?.matches('.cue'))); presses++) {
    assert.ok(presses < 25, 'Tab leads to the transcript');
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.locator('.cue[aria-current]').waitFor();
  await page.keyboard.press('Escape');
  await viewer(page).waitFor({ state: 'hidden' });
  // The focus returns to the last open clip, not to the first one opened.
  await page.waitForFunction(
    id => document.activeElement?.closest('[data-id]')?.getAttribute('data-id') === id,
    weather.submissionId,
  );
  await page.context().close();
});

test('without a script the page has a list, a search and every download', async () => {
  const context = await harness.context({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(full.dashboardUrl);
  assert.equal(await cards(page).count(), 2);
  assert.match(String(await page.locator('time').first().textContent()), /UTC/);
  await page.getByRole('searchbox').fill('good');
  await button(page, 'Search').click();
  await page.locator('mark', { hasText: 'good' }).first().waitFor();
  assert.equal(await cards(page).count(), 1);
  for (const name of [/^Everything/, /^Spreadsheet/, /^All transcripts/, /^Captions/, /^All data/])
    await page.getByRole('link', { name }).waitFor();
  const { href } = await cards(page)
    .getByRole('link', { name: 'Watch clip' })
    .evaluate(link => ({ href: (link as HTMLAnchorElement).href }));
  const video = await fetch(href, { headers: { range: 'bytes=0-99' } });
  assert.deepEqual([video.status, video.headers.get('content-type')], [206, 'video/webm']);
  await context.close();
});

test('the page has one nonce per answer, no other origins, no referrer and a small script', async () => {
  const nonces = new Set<string>();
  for (let visit = 0; visit < 2; visit++) {
    const { headers } = await fetch(full.dashboardUrl);
    const policy = headers.get('content-security-policy') ?? '';
    nonces.add(/script-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? '');
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('cache-control'), 'no-store');
  }
  assert.equal(nonces.size, 2);
  const context = await harness.context();
  const page = await context.newPage();
  const elsewhere: string[] = [];
  const referrers: string[] = [];
  const complaints: string[] = [];
  page.on('request', request => {
    if (new URL(request.url()).origin !== harness.system.baseUrl && !request.url().startsWith('data:'))
      elsewhere.push(request.url());
    if (request.headers().referer) referrers.push(request.url());
  });
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(`${full.dashboardUrl}#clip-${weather.submissionId}`);
  await page.locator('.cue').first().click();
  await page.locator('.cue[aria-current]').waitFor();
  assert.deepEqual([elsewhere, referrers, complaints], [[], [], []]);
  const source = await page.locator('script[src]').getAttribute('src');
  await context.close();
  for (const encoding of ['br', 'gzip'] as const) {
    const script = await fetch(new URL(source ?? '', harness.system.baseUrl), {
      headers: { 'accept-encoding': encoding },
    });
    assert.match(script.headers.get('cache-control') ?? '', /immutable/);
    await script.arrayBuffer();
    const size = Number(script.headers.get('content-length'));
    assert.ok(size > 0 && size <= SCRIPT_BUDGET_BYTES[encoding], `${encoding}: ${size} bytes`);
  }
});

test('the transcript’s part of the script loads with a clip; without it, the page shows the text without times', async () => {
  const page = await openPage(harness, full.dashboardUrl);
  const chunk = /\/assets\/dashboard-transcript-[\w-]+\.js$/;
  await page.route(chunk, route => route.abort());
  await cards(page).last().getByRole('link').click();
  await viewer(page).getByText('The timestamps could not be loaded.').waitFor();
  await viewer(page).locator('#transcript .text', { hasText: 'good' }).waitFor();
  await playback(page, 'plays');
  await page.unroute(chunk);
  await page.keyboard.press('ArrowLeft');
  await viewer(page).locator('.cue').first().waitFor();
  await page.context().close();
});

test('a notice says that the endpoint refuses events, until it accepts them', async () => {
  await using receiver = await startReceiver();
  const answer = (status: number) => {
    receiver.respond = (_, response) => void response.writeHead(status).end();
  };
  answer(503);
  const project = await harness.project({ webhookUrl: receiver.url });
  const path = `/api/projects/${project.projectId}`;
  const failingSince = async () => {
    const { endpoint } = await harness.api('GET', `${path}/webhook-deliveries`);
    return (endpoint as { failingSince: string | null } | null)?.failingSince;
  };
  await deliver(project.urls[0]!, PEOPLE);
  await until('the endpoint has refused an event', failingSince);
  const page = await openPage(harness, project.dashboardUrl, { viewport: PHONE });
  const notice = page.getByRole('status').filter({ hasText: 'the endpoint answered 503' });
  await notice.getByText('set webhookUrl again or send a test event').waitFor();
  await fits(page, 'notice');

  answer(204);
  await harness.api('PATCH', path, { webhookUrl: receiver.url });
  await until('the endpoint accepts events', async () => !(await failingSince()));
  const asked = page.waitForResponse(response => response.url().endsWith('/webhook-endpoint'));
  await page.reload();
  await asked;
  await notice.waitFor({ state: 'hidden' });
  await page.context().close();
});
