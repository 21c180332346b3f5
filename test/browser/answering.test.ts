import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '@recording-request/testing/wait';
import type { Page } from 'playwright-core';
import { button, heading, recordedFor, recordNow, startRecording, stop } from './actions.ts';
import { HEARD, landed, type Project, startTestBrowser, type TestBrowser } from './test-browser.ts';

let harness: TestBrowser;
before(async () => {
  harness = await startTestBrowser({ DURATION_GRACE_SECONDS: '30' });
});
after(() => harness?.[Symbol.asyncDispose]());

interface Clip {
  submissionId: string;
  answerMode: string | null;
  signed: boolean;
  mediaStatus: string;
  thumbnailMiddleUrl: string | null;
  transcriptStatus: string | null;
  transcriptText: string | null;
}
const clipOf = async (project: Project): Promise<Clip> => {
  const [clip] = await landed(harness, project);
  return clip as unknown as Clip;
};
const whenDone = (project: Project, isDone: (clip: Clip) => boolean): Promise<Clip> =>
  until(
    'the clip is processed',
    async () => {
      const clip = await clipOf(project);
      return isDone(clip) ? clip : undefined;
    },
    { limitMs: 90_000 },
  );
const send = async (page: Page) => {
  await button(page, 'Send').click();
  await heading(page, 'Your video has arrived').waitFor();
};

test('a recording of the sound alone lands as a video with a still picture, a thumbnail and its words', async () => {
  const project = await harness.project({ answerModes: ['audio'], transcriptionEnabled: true });
  const page = await harness.page();
  await page.addInitScript(() => {
    const { mediaDevices } = navigator;
    const open = mediaDevices.getUserMedia.bind(mediaDevices);
    mediaDevices.getUserMedia = asked => {
      if (asked?.video) throw new Error('the camera was asked for');
      return open(asked);
    };
  });
  await page.goto(project.urls[0]!);
  assert.equal(await button(page, 'Turn on the camera').isVisible(), false);
  assert.equal(await button(page, 'Upload a video instead').isVisible(), false);
  await button(page, 'Record only sound').click();
  await page.locator('#ready-text', { hasText: 'We can hear you.' }).waitFor();
  await page.locator('#devices summary').click();
  assert.equal(await page.locator('#microphone').isVisible(), true);
  assert.equal(await page.locator('#camera').isVisible(), false, 'there is no camera to choose');
  await page.keyboard.press('Escape');
  await button(page, 'Start recording').click();
  await recordedFor(page, 7);
  await stop(page);
  assert.equal(await page.locator('#review-warning').isVisible(), false);
  await send(page);
  const clip = await whenDone(project, each => each.mediaStatus === 'ready' && each.transcriptStatus === 'completed');
  assert.equal(clip.answerMode, 'audio');
  assert.ok(clip.thumbnailMiddleUrl);
  for (const word of HEARD) assert.match(clip.transcriptText ?? '', new RegExp(`\\b${word}\\b`, 'i'));
  await page.context().close();
});

test('a contributor who signs gets no warning of silence, and the clip says that it is signed', async () => {
  const project = await harness.project();
  const page = await harness.page({ device: 'silence' });
  await page.goto(project.urls[0]!);
  await button(page, 'Turn on the camera').click();
  const record = async () => {
    await button(page, 'Start recording').waitFor();
    const pictureAt = () => page.evaluate(() => document.querySelector<HTMLVideoElement>('#live')!.currentTime);
    await until('the picture of the camera', async () => (await pictureAt().catch(() => 0)) > 0.5, { limitMs: 30_000 });
    await button(page, 'Start recording').click();
  };
  await record();
  await button(page, 'I sign').click();
  await recordedFor(page, 2);
  await stop(page);
  assert.equal(await page.locator('#review-warning').isVisible(), false);
  assert.equal(await button(page, 'Send').getAttribute('class'), 'primary');
  await button(page, 'Record again').click();
  await record();
  await recordedFor(page, 2);
  await stop(page);
  assert.equal(await page.locator('#review-warning').isVisible(), false, 'the page does not ask again');
  await send(page);
  const { answerMode, signed } = await clipOf(project);
  assert.deepEqual([answerMode, signed], ['video', true]);
  await page.context().close();
});

test('the page offers only the ways that the project allows', async () => {
  const visible = async (page: Page) => {
    const names = ['Turn on the camera', 'Record only sound', 'Upload a video instead'];
    const shown = await Promise.all(names.map(name => button(page, name).isVisible()));
    return names.filter((_, at) => shown[at]);
  };
  const [camera, sound, file] = ['Turn on the camera', 'Record only sound', 'Upload a video instead'] as const;
  for (const [answerModes, names] of [
    [['video'], [camera]],
    [['file'], [file]],
    [
      ['audio', 'file'],
      [sound, file],
    ],
    [
      ['file', 'audio', 'video'],
      [camera, sound, file],
    ],
  ] as const) {
    const project = await harness.project({ answerModes });
    const page = await harness.page({ javaScriptEnabled: true });
    await page.goto(project.urls[0]!);
    await page.locator('html[data-ready]').waitFor();
    assert.deepEqual(await visible(page), names, answerModes.join());
    assert.equal(await button(page, names[0]!).getAttribute('class'), 'primary');
    await page.context().close();
  }
  const project = await harness.project({ answerModes: ['file'] });
  const page = await harness.page();
  await page.goto(project.urls[0]!);
  await page.locator('#file').setInputFiles(await harness.clip(3));
  await send(page);
  assert.equal((await clipOf(project)).answerMode, 'file');
  await page.context().close();
});

test('a contributor with more time sees and gets the longer limit', async () => {
  const project = await harness.project({ maxDurationSec: 2, recipients: [{ timeFactor: 2 }] });
  const page = await harness.page();
  await page.goto(project.urls[0]!);
  await page.getByText('up to 0:04').waitFor();
  await startRecording(page);
  await heading(page, 'Watch it back').waitFor();
  await page.locator('#review-state', { hasText: 'Time’s up.' }).waitFor();
  await send(page);
  const [clip] = await landed(harness, project);
  assert.ok(clip!.durationSec >= 4, `${clip!.durationSec} s`);
  await page.context().close();
});

const SENTENCE = 'The oven is on at three, and the first loaves leave the house at six.';
const LONG = Array.from({ length: 40 }, (_, at) => `${at + 1}. ${SENTENCE}`).join('\n\n');
const text = (page: Page) => page.locator('.prompter-text');
const placeOf = (page: Page): Promise<number> => text(page).evaluate(element => element.scrollTop);
const sizeOf = (page: Page): Promise<string> => text(page).evaluate(element => getComputedStyle(element).fontSize);
const current = (page: Page) => page.locator('.prompter-text [aria-current]');

async function openText(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await button(page, 'Turn on the camera').click();
  await page.locator('#ready-text', { hasText: 'We can see and hear you.' }).waitFor();
  await button(page, 'Text to read').click();
  await text(page).waitFor();
}

test('the script runs by keys and pedals, the question stays visible, and Space does not end a recording', async () => {
  const project = await harness.project({ script: LONG, interviewQuestions: ['What do you bake?'] });
  const page = await harness.page();
  await openText(page, project.urls[0]!);
  await page.getByText(SENTENCE).first().waitFor();
  assert.equal(await page.locator('#capture-question').isVisible(), true);
  assert.equal(await placeOf(page), 0);
  await page.keyboard.press('ArrowDown');
  const line = await placeOf(page);
  assert.ok(line > 0);
  await page.keyboard.press('PageDown');
  const paged = await placeOf(page);
  assert.ok(paged > 2 * line, 'a page is more than two lines');
  await page.keyboard.press('PageUp');
  await page.keyboard.press('ArrowUp');
  assert.equal(await placeOf(page), 0);
  await page.keyboard.press('Space');
  await button(page, 'Stop scrolling').waitFor();
  await until('the text runs', async () => (await placeOf(page)) > 5, { limitMs: 20_000 });
  await page.keyboard.press('Space');
  await button(page, 'Scroll').waitFor();
  const size = await sizeOf(page);
  await button(page, 'Larger text').click();
  assert.ok(Number.parseFloat(await sizeOf(page)) > Number.parseFloat(size));
  await button(page, 'Faster').click();
  assert.equal(await page.locator('.prompter-speed').textContent(), '130');

  await recordNow(page);
  await button(page, 'Stop scrolling').waitFor();
  await text(page).focus();
  await page.keyboard.press('Space');
  await page.locator('#stop').focus();
  await page.keyboard.press('Space');
  await recordedFor(page, 2);
  assert.equal(await button(page, 'Stop').isVisible(), true, 'a pedal ends no recording');
  await stop(page);
  await page.reload();
  await page.locator('html[data-ready]').waitFor();
  await button(page, 'Record again').click();
  await button(page, 'Text to read').click();
  await page.getByText(SENTENCE).first().waitFor();
  assert.ok(Number.parseFloat(await sizeOf(page)) > Number.parseFloat(size), 'the size is kept');
  assert.ok((await placeOf(page)) > 0, 'the place is kept');
  await page.keyboard.press('Escape');
  assert.equal(await text(page).isVisible(), false);
  await page.context().close();
});

test('own notes stay on the device, and editing does not lose the place', async () => {
  const project = await harness.project();
  const page = await harness.page();
  const sent: string[] = [];
  page.on('request', request => sent.push(`${request.url()} ${request.postData() ?? ''}`));
  await openText(page, project.urls[0]!);
  await page.getByText('It stays on this device.').waitFor();
  await button(page, 'Edit').click();
  await page.locator('.prompter-editor').fill(LONG);
  await button(page, 'Done').click();
  await page.keyboard.press('PageDown');
  await page.keyboard.press('PageDown');
  const place = await placeOf(page);
  assert.ok(place > 0);
  await button(page, 'Edit').click();
  await page.locator('.prompter-editor').fill(`${LONG}!`);
  await button(page, 'Done').click();
  await until('the place is back', async () => Math.abs((await placeOf(page)) - place) < 20, { limitMs: 5_000 });
  await until(
    'the device keeps the notes',
    async () => (await page.evaluate(() => JSON.stringify(localStorage))).includes('loaves'),
    { limitMs: 5_000 },
  );
  await openText(page, project.urls[0]!);
  await page.getByText(SENTENCE).first().waitFor();
  assert.ok(!sent.some(each => each.includes('loaves')), 'the notes are sent nowhere');
  await page.context().close();
});

test('bullet points do not run: keys mark the current one', async () => {
  const project = await harness.project({ script: '- Flour\n- Water\n- Salt' });
  const page = await harness.page();
  await openText(page, project.urls[0]!);
  await page.locator('.prompter-text li').first().waitFor();
  assert.equal(await button(page, 'Scroll').isVisible(), false);
  assert.equal(await current(page).textContent(), 'Flour');
  for (const [key, point] of [
    ['Space', 'Water'],
    ['PageDown', 'Salt'],
    ['ArrowDown', 'Salt'],
    ['ArrowUp', 'Water'],
  ] as const) {
    await page.keyboard.press(key);
    assert.equal(await current(page).textContent(), point, key);
  }
  await page.context().close();
});

test('with reduced motion the text moves by paragraphs', async () => {
  const project = await harness.project({ script: 'One\n\nTwo\n\nThree' });
  const page = await harness.page({ reducedMotion: 'reduce' });
  await openText(page, project.urls[0]!);
  await page.getByText('Two').waitFor();
  assert.equal(await button(page, 'Scroll').isVisible(), false);
  await page.keyboard.press('Space');
  assert.equal(await current(page).textContent(), 'Two');
  await page.context().close();
});

test('a text that does not load stops no recording', async () => {
  const project = await harness.project({ script: 'One' });
  const page = await harness.page();
  await page.route(/\/assets\/recorder-prompter-/, route => route.abort());
  await page.goto(project.urls[0]!);
  await button(page, 'Turn on the camera').click();
  await page.locator('#ready-text', { hasText: 'We can see and hear you.' }).waitFor();
  await button(page, 'Text to read').click();
  await page.getByText('This part of the page did not load.').waitFor();
  await recordNow(page);
  await recordedFor(page, 1);
  await stop(page);
  await page.unroute(/\/assets\/recorder-prompter-/);
  await button(page, 'Record again').click();
  await button(page, 'Text to read').click();
  await page.getByText('One', { exact: true }).waitFor();
  await page.context().close();
});
