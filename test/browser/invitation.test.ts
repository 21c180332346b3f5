import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { testClip } from '@recording-request/testing/clip';
import { sendClip } from '@recording-request/testing/contributor';
import type { Page } from 'playwright-core';
import { checkAccessibility } from './accessibility.ts';
import { button } from './actions.ts';
import { type Project, startTestBrowser, type TestBrowser } from './test-browser.ts';

// Checks the first view: who asks for what, how long it takes, who sees it, and until when.

let harness: TestBrowser;
before(async () => {
  harness = await startTestBrowser();
});
after(() => harness?.[Symbol.asyncDispose]());

const FIRST_VIEW_BYTES = 32 * 1024;
const UPRIGHT = { width: 390, height: 844 };
const PHONE = { viewport: UPRIGHT, isMobile: true, hasTouch: true };
const BRAND = { name: 'Corner Bakery', accent: '#8c2f39' };
const DUE = '2099-03-20T23:30:00Z';
const QUESTIONS = [
  'What made you join us?',
  'What surprised you?',
  'What would you tell somebody who starts tomorrow?',
];
// The pixels of the picture are 12 by 6.
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAwAAAAGCAIAAAB4jOjWAAAAEUlEQVR42mPo0bckiBiGqiIA20lEodsNikwAAAAASUVORK5CYII=',
  'base64',
);

async function sendLogo({ projectId }: Project): Promise<void> {
  const token = await harness.tokenWith(['projects:write']);
  const answer = await fetch(`${harness.system.baseUrl}/api/projects/${projectId}/logo`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png' },
    body: PNG,
  });
  assert.equal(answer.status, 200, await answer.text());
}

const invite = (fields: object = {}) =>
  harness.project({
    projectName: 'Your first week',
    interviewQuestions: QUESTIONS,
    brand: BRAND,
    recipients: [{ name: 'Ada', dueAt: DUE }],
    ...fields,
  });

async function open(url: string, options: Parameters<TestBrowser['page']>[0] = PHONE): Promise<Page> {
  const page = await harness.page(options);
  await page.goto(url);
  await page.locator('html[data-ready]').waitFor();
  return page;
}

/** Returns the texts of the visible parts of the first view, without their hidden marks, and the number of empty parts. */
const partsOf = (page: Page) =>
  page.locator('#screen-welcome .middle > *:not([hidden])').evaluateAll(all => ({
    texts: all.map(part => {
      const copy = part.cloneNode(true) as Element;
      for (const hidden of copy.querySelectorAll('[hidden]')) hidden.remove();
      return (copy.textContent ?? '').replaceAll(/\s+/g, ' ').trim();
    }),
    empty: all.filter(part => part.getBoundingClientRect().height === 0).length,
  }));

test('the first view says who asks whom for what, how long, who sees it and until when', async () => {
  const project = await invite({ requestUrl: 'https://example.org/brief' });
  await sendLogo(project);
  const page = await open(project.urls[0]!, { ...PHONE, timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
  const { texts, empty } = await partsOf(page);
  assert.equal(empty, 0);
  assert.deepEqual(texts, [
    'Hello Ada',
    'A request from Corner Bakery',
    'Your first week',
    '3 questions, one at a time. Up to 2:00 for each answer.',
    // 23:30 in UTC is half past eight of the next morning in Tokyo.
    'Your video goes to Corner Bakery. They decide who else sees it. Please answer by March 21, 2099 at 8:30 AM.',
    QUESTIONS.join(' '),
    'Your video uploads as you speak. It’s only sent when you press Send.',
    'More about this request',
  ]);
  const logo = page.getByAltText('Corner Bakery').filter({ visible: true });
  await logo.evaluate((image: HTMLImageElement) => image.decode());
  assert.equal(await logo.evaluate((image: HTMLImageElement) => image.naturalWidth), 12);
  const accent = await page.locator('#start').evaluate(start => getComputedStyle(start).backgroundColor);
  assert.equal(accent, 'rgb(140, 47, 57)');
  await page.context().close();
});

test('absent facts leave no hole', async () => {
  const project = await harness.project();
  const page = await open(project.urls[0]!);
  const { texts, empty } = await partsOf(page);
  assert.equal(empty, 0);
  assert.ok(texts.every(text => text !== ''));
  assert.equal(texts[0], 'Stories');
  assert.equal(texts.length, 4, texts.join(' | '));
  assert.equal(await page.locator('#screen-welcome .facts li').count(), 1);
  assert.match(texts[2]!, /^Your video goes to the people who sent you this link\./);
  assert.equal(await page.locator('img.brand').count(), 0);
  await page.context().close();
});

test('a phone shows the greeting, the title and the start without scrolling', async () => {
  const project = await invite();
  await sendLogo(project);
  for (const viewport of [
    UPRIGHT,
    { width: 390, height: 664 },
    { width: 360, height: 640 },
    { width: 844, height: 390 },
  ]) {
    const page = await open(project.urls[0]!, { ...PHONE, viewport });
    const when = `${viewport.width}×${viewport.height}`;
    const outside = await page.evaluate(() =>
      ['.hello', '#screen-welcome h1', '.lead', '#start'].filter(selector => {
        const { top, bottom, left, right } = document.querySelector(selector)!.getBoundingClientRect();
        return top < 0 || left < 0 || right > innerWidth || bottom > innerHeight;
      }),
    );
    assert.deepEqual(outside, [], when);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), viewport.width, when);
    await page.context().close();
  }
});

const LONGEST = (at: number) =>
  `${at} ${'Think back to your first week and take your time. '.repeat(10)}`.slice(0, 500);
const MANY = Array.from({ length: 50 }, (_, at) => LONGEST(at));

test('many questions unfold by keyboard, their numbers continue, and axe finds nothing, light and dark', async () => {
  const project = await invite({ interviewQuestions: MANY, requireTerms: true, termsText: 'Be kind.' });
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await open(project.urls[0]!, { colorScheme, viewport: UPRIGHT });
    const more = page.getByText('49 more questions');
    const last = page.getByRole('listitem').filter({ hasText: MANY[49]! });
    assert.ok(!(await last.isVisible()));
    await checkAccessibility(page, `the invitation, ${colorScheme}`);
    await page.keyboard.press('Tab');
    for (let tabs = 0; tabs < 10; tabs++) {
      if (await more.evaluate(summary => summary === document.activeElement)) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await last.waitFor();
    await checkAccessibility(page, `all questions, ${colorScheme}`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    assert.ok(await page.getByLabel('I accept the terms').isChecked());
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await button(page, 'Start recording').waitFor();
    assert.equal(await page.locator('#capture-question').textContent(), MANY[0]);
    await page.context().close();
  }
});

test('the next question of a long interview is unfolded on another device', async () => {
  const questions = MANY.slice(0, 8).map(question => question.slice(0, 120));
  const project = await invite({ interviewQuestions: questions });
  const url = project.urls[0]!;
  const begun = await fetch(`${url}/responses`, { method: 'POST' });
  const { responseSessionId } = (await begun.json()) as { responseSessionId: string };
  const clip = await testClip({ container: 'webm', audio: 'none', seconds: 1, width: 64, height: 48, frameRate: 10 });
  for (let questionIndex = 0; questionIndex < 5; questionIndex++)
    await sendClip(url, clip, { responseSessionId, questionIndex });
  const page = await open(url);
  const next = page.getByRole('listitem').filter({ hasText: questions[5]! });
  await next.waitFor();
  const { top, bottom } = await next.evaluate(card => card.getBoundingClientRect());
  assert.ok(top >= 0 && bottom <= UPRIGHT.height, `${top} to ${bottom}`);
  assert.equal(await page.locator('.answered:not([hidden])').count(), 5);
  await page.context().close();
});

test('the camera shows a next question that the page left out, and questions that cannot be loaded leave a way on', async () => {
  const questions = MANY.slice(0, 5);
  const project = await invite({ interviewQuestions: questions });
  const url = project.urls[0]!;
  const begun = await fetch(`${url}/responses`, { method: 'POST' });
  const { responseSessionId } = (await begun.json()) as { responseSessionId: string };
  const clip = await testClip({ container: 'webm', audio: 'none', seconds: 1, width: 64, height: 48, frameRate: 10 });
  for (let questionIndex = 0; questionIndex < 4; questionIndex++)
    await sendClip(url, clip, { responseSessionId, questionIndex });
  const page = await open(url);
  await page.route('**/questions', route => route.abort());
  const more = page.getByText('4 more questions');
  await more.click();
  await page.getByText('We can’t reach the server.').waitFor();
  await page.unroute('**/questions');
  await more.click();
  await more.click();
  await page.getByRole('listitem').filter({ hasText: questions[4]! }).waitFor();
  assert.equal(await page.getByText('We can’t reach the server.').count(), 0);
  await button(page, 'Turn on the camera').click();
  await page.locator('#capture-count', { hasText: 'Question 5 of 5' }).waitFor();
  assert.equal(await page.locator('#capture-question').textContent(), questions[4]);
  await page.context().close();
});

test('with the longest questions, the first view stays light', async t => {
  const words = (await (await fetch(`${harness.system.baseUrl}/api/docs.md`)).text()).replaceAll(/\s+/g, ' ');
  const questions = Array.from({ length: 50 }, (_, at) => words.slice(at * 500, (at + 1) * 500).padEnd(500, 'x'));
  const project = await invite({ interviewQuestions: questions.map(text => text.trim().padEnd(500, 'x')) });
  for (const language of ['en', 'ar']) {
    const page = await open(`${project.urls[0]}?lang=${language}`);
    const sizes = await page.evaluate(() =>
      ['navigation', 'resource']
        .flatMap(type => performance.getEntriesByType(type) as PerformanceResourceTiming[])
        .map(({ encodedBodySize }) => encodedBodySize),
    );
    t.diagnostic(`${language}: ${sizes.join(' and ')} bytes`);
    assert.equal(sizes.length, 2, `${language}: the page and its script only`);
    assert.ok(sizes[0]! + sizes[1]! <= FIRST_VIEW_BYTES, `${language}: ${sizes} bytes`);
    await page.context().close();
  }
});

test('the preview of a link has the facts without the recipient', async () => {
  const project = await invite();
  const answer = await fetch(project.urls[0]!, { headers: { 'user-agent': 'WhatsApp/2.24' } });
  const head = (await answer.text()).split('</head>')[0]!;
  const described = /property="og:description" content="([^"]+)"/.exec(head)?.[1] ?? '';
  assert.match(head, /property="og:title" content="Your first week"/);
  assert.match(head, /property="og:site_name" content="Corner Bakery"/);
  for (const fact of ['Corner Bakery', '3 questions', '2:00', 'March 20, 2099'])
    assert.ok(described.includes(fact), `${fact} in ${described}`);
  assert.doesNotMatch(head, /Ada/);
  assert.equal((await harness.links(project))[0]!.openedAt, null);
});
