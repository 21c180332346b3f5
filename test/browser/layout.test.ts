import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { testClip } from '@recording-request/testing/clip';
import { sendClip } from '@recording-request/testing/contributor';
import type { Page } from 'playwright-core';
import { checkAccessibility } from './accessibility.ts';
import { button, heading, recordedFor, recordNow, startRecording, stop } from './actions.ts';
import { startTestBrowser, type TestBrowser } from './test-browser.ts';

// Checks the positions of elements: a phone, upright or sideways, must show everything on the contributor's pages.

let harness: TestBrowser;
before(async () => {
  harness = await startTestBrowser();
});
after(() => harness?.[Symbol.asyncDispose]());

const UPRIGHT = { width: 390, height: 844 };
const SIDEWAYS = [
  { width: 844, height: 390 },
  { width: 667, height: 375 },
];
const PHONE = { viewport: UPRIGHT, isMobile: true, hasTouch: true };
const FOUR_LINES =
  'Think back to your first week here. What surprised you most about how we work, and what should we have told you?';
const LONGEST = 'Take your time and think about it. '.repeat(14).trim();

async function turn(page: Page, viewport: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(viewport);
  await page.waitForFunction(({ width, height }) => innerWidth === width && innerHeight === height, viewport);
}

/** Fails unless each element is completely inside the window and uncovered. */
async function assertSeen(page: Page, selectors: string[], when: string): Promise<void> {
  const hidden = await page.evaluate(selectors => {
    const isOwn = (element: Element, x: number, y: number) => {
      const top = document.elementFromPoint(x, y);
      return top !== null && (element.contains(top) || top.contains(element));
    };
    return selectors.flatMap(selector => {
      const element = document.querySelector(selector);
      const box = element?.getBoundingClientRect();
      if (!element || !box || box.width === 0 || box.height === 0) return [`${selector} is missing`];
      const { left, right, top, bottom } = box;
      const place = `${selector} at ${[left, top, right, bottom].map(Math.round)}`;
      if (left < 0 || top < 0 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5) return [`${place} is cut off`];
      const xs = [left + 3, (left + right) / 2, right - 3];
      const ys = [top + 3, (top + bottom) / 2, bottom - 3];
      return xs.some(x => ys.some(y => !isOwn(element, x, y))) ? [`${place} is covered`] : [];
    });
  }, selectors);
  assert.deepEqual(hidden, [], when);
}

/** Returns whether the whole question is visible, and whether the page shows the mark for more text. */
async function questionOf(page: Page): Promise<{ whole: boolean; marked: boolean; lines: number }> {
  return page.evaluate(() => {
    const box = document.getElementById('capture-top')!;
    const question = document.getElementById('capture-question')!;
    const shown = Math.min(box.getBoundingClientRect().bottom, innerHeight) - question.getBoundingClientRect().top;
    return {
      whole: box.scrollHeight <= box.clientHeight + 1,
      marked: getComputedStyle(box, '::after').content !== 'none',
      lines: Math.floor(shown / Number.parseFloat(getComputedStyle(question).lineHeight)),
    };
  });
}

test('a sideways phone shows a question before and during its answer; a longer question shows that it scrolls', async () => {
  for (const [question, device] of [
    [FOUR_LINES, 'speech'],
    [FOUR_LINES, 'silence'],
    [LONGEST, 'speech'],
  ] as const) {
    const project = await harness.project({ interviewQuestions: [question, 'And?'] });
    const page = await harness.page({ ...PHONE, device });
    await page.goto(project.urls[0]!);
    await button(page, 'Turn on the camera').click();
    const look = async (what: string, controls: string[]) => {
      for (const viewport of [...SIDEWAYS, UPRIGHT]) {
        await turn(page, viewport);
        const when = `${device}, ${question.length} letters, ${what}, ${viewport.width}×${viewport.height}`;
        await assertSeen(page, ['#capture-count', ...controls], when);
        if (question === FOUR_LINES) {
          await assertSeen(page, ['#capture-question'], when);
          assert.deepEqual((await questionOf(page)).whole, true, when);
          continue;
        }
        await page.waitForFunction(() => document.getElementById('capture-top')!.classList.contains('more'));
        const { lines, marked } = await questionOf(page);
        assert.ok(marked && lines >= 6, `${when}: ${lines} lines`);
        if (viewport === SIDEWAYS[0]) await checkAccessibility(page, 'a long question');
        // At the end of the question the mark disappears.
        await page.evaluate(() => document.getElementById('capture-top')!.scrollTo(0, 10_000));
        await page.waitForFunction(() => !document.getElementById('capture-top')!.classList.contains('more'));
        await page.evaluate(() => document.getElementById('capture-top')!.scrollTo(0, 0));
      }
    };
    if (device === 'silence') {
      await button(page, 'Start recording').click();
      await button(page, 'Record anyway').waitFor();
      await look('held', ['#ready-text', '#anyway', '#devices summary']);
    } else {
      await page.locator('#ready-text', { hasText: 'We can see and hear you.' }).waitFor();
      await look('ready', ['#ready-text', '#record', '#devices summary']);
      await recordNow(page);
      await look('recording', ['#elapsed', '#left', '#stop', '#pause']);
    }
    await page.context().close();
  }
});

const SMALL = [...SIDEWAYS, { width: 740, height: 330 }, { width: 568, height: 320 }];

test('the main button is in view before any scrolling, and every question can be reached', async () => {
  const fields = {
    requireTerms: true,
    termsText: 'Be kind.',
    termsLabel: 'I have read the terms and accept them. '.repeat(5),
  };
  for (const interviewQuestions of [[], ['Who are you?'], [FOUR_LINES, 'And?'], [LONGEST, FOUR_LINES, 'And now?']]) {
    const project = await harness.project({ ...fields, interviewQuestions });
    for (const viewport of [UPRIGHT, { width: 390, height: 664 }, ...SMALL]) {
      const when = `${interviewQuestions.length} questions, ${viewport.width}×${viewport.height}`;
      const page = await harness.page({ ...PHONE, viewport });
      await page.goto(project.urls[0]!);
      await page.locator('html[data-ready]').waitFor();
      await assertSeen(page, ['#start', '#choose-file'], when);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), viewport.width, when);
      const list = page.locator('.questions');
      if (await list.count()) {
        const hidden = await list.evaluate(all => all.scrollHeight - all.clientHeight);
        assert.ok(hidden <= 1, `${when}: ${hidden} pixels of the questions are cut off`);
        const fade = await page
          .locator('#screen-welcome .bar')
          .evaluate(bar => getComputedStyle(bar, '::before').content);
        if (viewport.width < 480) assert.notEqual(fade, 'none', `${when}: no mark shows that there is more`);
      }
      // At the end of the page, nothing is behind the buttons.
      await page.evaluate(() => scrollTo(0, 10_000));
      await assertSeen(page, ['#start', '#choose-file', '#terms'], `${when}, at the end`);
      await page.context().close();
    }
  }
});

test('a second device shows the next question and the answered ones', async () => {
  const project = await harness.project({ interviewQuestions: [LONGEST, LONGEST.slice(0, 160), 'And now?'] });
  const path = `${project.urls[0]}/responses`;
  const { responseSessionId } = (await (await fetch(path, { method: 'POST' })).json()) as { responseSessionId: string };
  const clip = await testClip({ container: 'webm', audio: 'none', seconds: 1, width: 64, height: 48, frameRate: 10 });
  for (const [questionIndex, due] of [
    [0, '.questions li:nth-child(2)'],
    [1, '.questions li:nth-child(3)'],
  ] as const) {
    await sendClip(project.urls[0]!, clip, { responseSessionId, questionIndex });
    const mark = `.questions li:nth-child(${questionIndex + 1}) .answered`;
    for (const viewport of [UPRIGHT, ...SMALL]) {
      const page = await harness.page({ ...PHONE, viewport });
      await page.goto(project.urls[0]!);
      await page.locator('html[data-ready]').waitFor();
      await assertSeen(
        page,
        [due, mark, '#start'],
        `question ${questionIndex + 2}, ${viewport.width}×${viewport.height}`,
      );
      await page.context().close();
    }
  }
});

test('a long question next to a take shows that more text follows', async () => {
  const project = await harness.project({ interviewQuestions: [LONGEST], noteEnabled: true });
  const page = await harness.page(PHONE);
  await page.goto(project.urls[0]!);
  await startRecording(page);
  await recordedFor(page, 1);
  await stop(page);
  for (const viewport of [UPRIGHT, ...SMALL]) {
    await turn(page, viewport);
    await assertSeen(page, ['#note', '#send', '#again'], `${viewport.width}×${viewport.height}`);
    const fade = await page.locator('#screen-review .bar').evaluate(bar => getComputedStyle(bar, '::before').content);
    assert.notEqual(fade, 'none', `${viewport.width}×${viewport.height}`);
    // At the end the fade covers no text.
    const room = await page.evaluate(() => {
      scrollTo(0, 10_000);
      const bar = document.querySelector('#screen-review .bar')!;
      const from = bar.getBoundingClientRect().top - Number.parseFloat(getComputedStyle(bar, '::before').height);
      return from - document.getElementById('review-state')!.getBoundingClientRect().bottom;
    });
    assert.ok(room >= -1, `${viewport.width}×${viewport.height}: the last line fades`);
  }
  await page.context().close();
});

test('the note and both buttons are in view next to a long question and a warning', async () => {
  const project = await harness.project({ interviewQuestions: [FOUR_LINES], noteEnabled: true });
  const page = await harness.page({ ...PHONE, device: 'silence' });
  await page.goto(project.urls[0]!);
  await button(page, 'Turn on the camera').click();
  await button(page, 'Start recording').click();
  await button(page, 'Record anyway').click();
  await recordedFor(page, 1);
  await stop(page);
  for (const viewport of [UPRIGHT, { width: 390, height: 664 }, ...SIDEWAYS]) {
    await turn(page, viewport);
    const what = `${viewport.width}×${viewport.height}`;
    await assertSeen(page, ['#note', '#send', '#again', '#review-warning'], what);
  }
  await turn(page, SIDEWAYS[0]!);
  await assertSeen(page, ['#review-question', '#playback', '#note', '#send', '#again'], 'all of it, sideways');
  await turn(page, UPRIGHT);
  await assertSeen(page, ['#review-question', '#playback', '#note', '#send', '#again'], 'all of it, upright');
  await page.getByLabel('Add a note (optional)').fill('One line.\n'.repeat(30));
  await assertSeen(page, ['#note', '#send', '#again', '#review-warning'], 'a long note');
  await page.context().close();
});

test('the page marks unaccepted terms and keeps the main button in view', async () => {
  const project = await harness.project({
    interviewQuestions: [FOUR_LINES, 'What do you do?', 'And now?'],
    requireTerms: true,
    termsText: 'Be kind.',
  });
  for (const viewport of [UPRIGHT, ...SIDEWAYS]) {
    const page = await harness.page({ ...PHONE, viewport });
    await page.goto(project.urls[0]!);
    await page.locator('html[data-ready]').waitFor();
    const box = page.getByLabel('I accept the terms');
    assert.notEqual(await box.getAttribute('aria-invalid'), 'true');
    await button(page, 'Turn on the camera').click();
    await page.getByText('Please accept the terms first.').waitFor();
    await assertSeen(page, ['#terms', '#welcome-problem', '#start'], `${viewport.width}×${viewport.height}`);
    assert.equal(await box.getAttribute('aria-invalid'), 'true');
    assert.equal(await box.evaluate(input => getComputedStyle(input).outlineStyle), 'solid');
    await box.check();
    assert.equal(await box.getAttribute('aria-invalid'), 'false');
    assert.equal(await page.getByText('Please accept the terms first.').isVisible(), false);
    await page.context().close();
  }
});

test('the problem with a chosen file and the button for another file are in view', async () => {
  const project = await harness.project({ interviewQuestions: [FOUR_LINES, 'What do you do?', 'And now?'] });
  for (const viewport of [UPRIGHT, { width: 390, height: 664 }, ...SIDEWAYS]) {
    const page = await harness.page({ ...PHONE, viewport });
    await page.goto(project.urls[0]!);
    await page.locator('html[data-ready]').waitFor();
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.locator('#choose-file').click()]);
    await chooser.setFiles({ name: 'report.mp4', mimeType: 'video/mp4', buffer: Buffer.from('%PDF-1.7') });
    await button(page, 'Choose another').waitFor();
    await assertSeen(page, ['#welcome-problem', '#choose-file'], `${viewport.width}×${viewport.height}`);
    await page.context().close();
  }
});

test('without a network at Send the page shows one message, and it is true', async () => {
  const project = await harness.project();
  const page = await harness.page(PHONE);
  await page.goto(project.urls[0]!);
  await startRecording(page);
  await recordedFor(page, 1);
  await stop(page);
  await page.context().setOffline(true);
  await button(page, 'Send').click();
  await page.getByText('No connection.').waitFor();
  assert.equal(await page.getByText('Still connecting').isVisible(), false);
  await page.context().setOffline(false);
  await heading(page, 'Your video has arrived').waitFor();
  await page.context().close();
});

test("the owner's message covers nothing, and stays after its dialog", async () => {
  const message = 'Thank you so much. We will show your video in May.';
  const project = await harness.project({
    count: 2,
    showSuccessDialog: true,
    successMessage: message,
  });
  const page = await harness.page(PHONE);
  await page.goto(project.urls[0]!);
  await startRecording(page);
  await recordedFor(page, 1);
  await stop(page);
  await button(page, 'Send').click();
  await button(page, 'Close').waitFor();
  for (const viewport of [UPRIGHT, SIDEWAYS[0]!]) {
    await turn(page, viewport);
    await assertSeen(page, ['#success', '#success-text', '#success-close'], 'the dialog');
    assert.equal(
      await page.locator('#screen-done .mark').isVisible(),
      false,
      'no element shows half behind the dialog',
    );
  }
  await turn(page, UPRIGHT);
  await button(page, 'Close').click();
  await heading(page, 'Your video has arrived').waitFor();
  await page.locator('#done-message', { hasText: message }).waitFor();
  await assertSeen(page, ['#screen-done .mark', '#done-text', '#done-message'], 'the last screen');
  assert.equal(await page.locator('#done-message').textContent(), message);
  await page.context().close();
});

test("an interview's thank-you page has the owner's message", async () => {
  const message = 'See you in May, <b>all</b> of you.';
  const project = await harness.project({ showSuccessDialog: true, successMessage: message });
  const page = await harness.page(PHONE);
  await page.goto(`${project.urls[0]}/thank-you`);
  await heading(page, 'Thank you').waitFor();
  await page.getByText(message).waitFor();
  await page.goto(`${harness.system.baseUrl}/r/nonsense/thank-you`);
  await heading(page, 'Thank you').waitFor();
  await page.context().close();
});

test('a list of questions in another direction than the page keeps its numbers', async () => {
  const project = await harness.project({ interviewQuestions: [FOUR_LINES, 'ما اسمك؟'] });
  for (const [lang, direction] of [
    ['ar', 'rtl'],
    ['en', 'ltr'],
  ]) {
    const page = await harness.page(PHONE);
    await page.goto(`${project.urls[0]}?lang=${lang}`);
    await page.locator('html[data-ready]').waitFor();
    const items = await page.locator('.questions li').evaluateAll(all =>
      all.map(item => {
        const own = getComputedStyle(item);
        const number = getComputedStyle(item, '::before');
        const isRtl = own.direction === 'rtl';
        const room = Number.parseFloat(isRtl ? own.paddingRight : own.paddingLeft);
        const place = Number.parseFloat(isRtl ? number.right : number.left);
        const text = getComputedStyle(item.querySelector('[dir="auto"]')!).direction;
        return { direction: own.direction, number: number.content, room: room - place > 20, text };
      }),
    );
    // The cards have room for numbers only at the page's start side, even if the text has the other direction.
    assert.deepEqual(
      items,
      ['ltr', 'rtl'].map(text => ({ direction, number: 'counter(question)', room: true, text })),
    );
    await page.context().close();
  }
});
