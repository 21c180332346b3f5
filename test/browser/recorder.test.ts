import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '@recording-request/testing/wait';
import type { Page } from 'playwright-core';
import { button, heading, type Kept, kept, recordedFor, startRecording, stop } from './actions.ts';
import { HEARD, landed, type Submission, startTestBrowser, type TestBrowser } from './test-browser.ts';

let harness: TestBrowser;
before(async () => {
  // A delayed page ends its take late; the server must not refuse such a take.
  harness = await startTestBrowser({ DURATION_GRACE_SECONDS: '30' });
});
after(() => harness?.[Symbol.asyncDispose]());

/**
 * Returns true if a clip is as long as the page's recording. The exact length depends on when the test pressed Stop.
 */
const hasRecordedLength = (clip: Submission, recorded: Kept) => Math.abs(clip.durationSec - recorded.seconds) <= 2;

const pictureAt = (page: Page) => page.evaluate(() => document.querySelector<HTMLVideoElement>('#live')!.currentTime);

test('a recording lands unchanged, and its transcript has the words', async () => {
  const project = await harness.project({
    transcriptionEnabled: true,
    noteEnabled: true,
    requireTerms: true,
    termsLabel: 'Fine with me',
    showSuccessDialog: true,
    successMessage: 'Splendid!',
  });
  const page = await harness.page();
  await page.goto(project.urls[0]!);
  assert.equal((await harness.links(project))[0]?.openedAt, null, 'opening the page changes nothing');
  await button(page, 'Turn on the camera').click();
  await page.getByText('Please accept the terms first.').waitFor();
  await until('the opening time', async () => (await harness.links(project))[0]?.openedAt, {
    limitMs: 30_000,
  });
  await page.getByLabel('Fine with me').check();
  await startRecording(page);
  await recordedFor(page, 7);
  await stop(page);
  await page.locator('#review-state', { hasText: '100% uploaded' }).waitFor();
  assert.deepEqual(await harness.submissions(project), [], 'an unsent take is not delivered');
  const recorded = await kept(page);
  await page.getByLabel('Add a note (optional)').fill('From my desk');
  await button(page, 'Send').click();
  await page.getByText('Splendid!').waitFor();
  await button(page, 'Close').click();
  await heading(page, 'Your video has arrived').waitFor();
  const [clip] = await landed(harness, project);
  assert.equal(clip?.sha256, recorded.sha256);
  assert.equal(clip.note, 'From my desk');
  assert.equal(clip.termsAccepted, true);
  assert.equal(clip.incomplete, false);
  assert.ok(
    recorded.seconds >= 7 && hasRecordedLength(clip, recorded),
    `${clip.durationSec} s of ${recorded.seconds} s`,
  );
  assert.equal((await kept(page)).takes, 0, 'the device has deleted the take');
  const transcript = await until(
    'the transcript',
    async () =>
      (await harness.submissions(project)).find(each => each.transcriptStatus === 'completed')?.transcriptText,
    { limitMs: 60_000 },
  );
  for (const word of HEARD) assert.match(transcript ?? '', new RegExp(`\\b${word}\\b`, 'i'));
  await page.reload();
  await page.locator('#done-text', { hasText: 'You’ve already sent your video' }).waitFor();
  await page.context().close();
});

test('the page warns of a silent or black take before and after recording, and can send it anyway', async () => {
  for (const [device, before, after] of [
    ['silence', 'We can’t hear you.', 'We can’t hear anything in this video.'],
    ['dark', 'The picture is black.', 'This video is black.'],
  ] as const) {
    const project = await harness.project();
    const page = await harness.page({ device });
    await page.goto(project.urls[0]!);
    await button(page, 'Turn on the camera').click();
    // Every camera is black before its first pictures.
    await until('the picture of the camera', async () => (await pictureAt(page).catch(() => 0)) > 0.5, {
      limitMs: 30_000,
    });
    await button(page, 'Start recording').click();
    await page.locator('#ready-text', { hasText: before }).waitFor();
    await button(page, 'Record anyway').click();
    await recordedFor(page, 2);
    await stop(page);
    await page.locator('#review-warning', { hasText: after }).waitFor();
    assert.equal(await button(page, 'Record again').getAttribute('class'), 'primary');
    await button(page, 'Send anyway').click();
    await heading(page, 'Your video has arrived').waitFor();
    assert.equal((await landed(harness, project)).length, 1);
    await page.context().close();
  }
});

test('the keyboard alone can record, pause, continue, stop, record again and send', async () => {
  const project = await harness.project({ requireTerms: true });
  const page = await harness.page();
  await page.goto(project.urls[0]!);
  const focused = () => page.evaluate(() => document.activeElement?.id ?? '');
  const goTo = async (id: string) => {
    for (let presses = 0; presses < 25 && (await focused()) !== id; presses++) await page.keyboard.press('Tab');
    assert.equal(await focused(), id, `reached by Tab: ${id}`);
  };
  await goTo('terms');
  await page.keyboard.press('Space');
  await goTo('start');
  await page.keyboard.press('Enter');
  const record = async () => {
    await page.locator('#ready-text', { hasText: 'We can see and hear you.' }).waitFor();
    assert.equal(await focused(), 'record', 'the main button has the focus');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.id === 'stop');
    await recordedFor(page, 1);
  };
  await record();
  await goTo('pause');
  await page.keyboard.press('Enter');
  await page.locator('#rec-word', { hasText: 'Paused' }).waitFor();
  const paused = await page.locator('#elapsed').textContent();
  assert.equal(await focused(), 'resume');
  await page.keyboard.press('Enter');
  await page.locator('#rec-word', { hasText: 'Recording' }).waitFor();
  await recordedFor(page, Number(paused?.split(':')[1]) + 1);
  await goTo('stop');
  await page.keyboard.press('Enter');
  await heading(page, 'Watch it back').waitFor();
  await goTo('again');
  await page.keyboard.press('Enter');
  await record();
  await page.keyboard.press('Enter');
  await heading(page, 'Watch it back').waitFor();
  const recorded = await kept(page);
  assert.equal(recorded.takes, 1, 'the new take replaced the first');
  await goTo('send');
  await page.keyboard.press('Enter');
  await heading(page, 'Your video has arrived').waitFor();
  const [clip] = await landed(harness, project);
  assert.equal(clip?.sha256, recorded.sha256);
  await page.context().close();
});

test('Back returns to the previous screen, a note stays, and a Send of normal duration shows no warning', async () => {
  const project = await harness.project({ noteEnabled: true });
  const page = await harness.page();
  await page.goto(project.urls[0]!);
  await startRecording(page);
  await recordedFor(page, 1);
  await page.goBack();
  await page.locator('#rec-word', { hasText: 'Paused' }).waitFor();
  await page.goBack();
  await heading(page, 'Watch it back').waitFor();
  const note = page.getByLabel('Add a note (optional)');
  await note.fill('From my desk');
  await page.reload();
  await heading(page, 'Watch it back').waitFor();
  assert.equal(await note.inputValue(), 'From my desk');
  await button(page, 'Record again').click();
  await button(page, 'Start recording').waitFor();
  await button(page, 'Back to your video').click();
  await heading(page, 'Watch it back').waitFor();
  await page.goBack();
  await heading(page, 'Stories').waitFor();
  await button(page, 'Back to your video').click();
  assert.equal(await note.inputValue(), 'From my desk');
  const recorded = await kept(page);
  let go = () => {};
  const held = new Promise<void>(resolve => {
    go = resolve;
  });
  await page.route('**/responses/*', async route => {
    if (route.request().method() === 'PATCH') await held;
    return route.continue();
  });
  await button(page, 'Send').click();
  await heading(page, 'Sending…').waitFor();
  await heading(page, 'Not sent yet').waitFor();
  assert.deepEqual(await harness.submissions(project), []);
  go();
  await heading(page, 'Your video has arrived').waitFor();
  const [clip] = await landed(harness, project);
  assert.deepEqual([clip?.sha256, clip?.note], [recorded.sha256, 'From my desk']);
  await page.context().close();
});

test('the recording stops at the maximum duration', async () => {
  const project = await harness.project({ maxDurationSec: 3 });
  const page = await harness.page();
  await page.goto(project.urls[0]!);
  await startRecording(page);
  await page.locator('#review-state', { hasText: 'Time’s up.' }).waitFor();
  const recorded = await kept(page);
  await button(page, 'Send').click();
  await heading(page, 'Your video has arrived').waitFor();
  const [clip] = await landed(harness, project);
  assert.ok(
    recorded.seconds >= 3 && hasRecordedLength(clip!, recorded),
    `${clip!.durationSec} s of ${recorded.seconds} s`,
  );
  await page.context().close();
});

test('a browser without a recorder takes a file; the page sends nothing of a file that is too long', async () => {
  const project = await harness.project({ maxDurationSec: 4 });
  const context = await harness.context();
  await context.addInitScript(() => Object.assign(globalThis, { MediaRecorder: undefined }));
  const page = await context.newPage();
  const uploads: string[] = [];
  page.on('request', request => /\/(?:uploads|responses)/.test(request.url()) && uploads.push(request.url()));
  await page.goto(project.urls[0]!);
  const choose = async (seconds: number, name: string) => {
    const clip = await harness.clip(seconds);
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button(page, name).click()]);
    const capture = await chooser.element().getAttribute('capture');
    assert.equal(capture, name === 'Record with your camera app' ? 'user' : null);
    await chooser.setFiles(clip);
  };
  await choose(8, 'Record with your camera app');
  await page.getByText('This video is 0:08 long. Please choose one no longer than 0:04.').waitFor();
  assert.deepEqual(uploads, [], 'the page claims no use and sends nothing');
  await choose(3, 'Choose another');
  await heading(page, 'Watch it back').waitFor();
  await choose(8, 'Choose another');
  await page.getByText('This video is 0:08 long.').waitFor();
  await button(page, 'Back to your video').click();
  await button(page, 'Send').click();
  await heading(page, 'Your video has arrived').waitFor();
  assert.equal((await landed(harness, project))[0]?.durationSec, 3);
  await context.close();
});

test('a page that may not use the camera shows what to do, and continues', async () => {
  const project = await harness.project();
  const context = await harness.context();
  await context.addInitScript(() => {
    const original = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    let calls = 0;
    navigator.mediaDevices.getUserMedia = constraints =>
      ++calls === 1 ? Promise.reject(new DOMException('no', 'NotAllowedError')) : original(constraints);
  });
  const page = await context.newPage();
  await page.goto(project.urls[0]!);
  await button(page, 'Turn on the camera').click();
  const steps = 'Your camera and microphone are blocked. Click the icon to the left of the address';
  await page.getByRole('alert').filter({ hasText: steps }).waitFor();
  await startRecording(page);
  await stop(page);
  await context.close();
});

test('a browser that records only MP4 can send a take', async () => {
  const project = await harness.project();
  const context = await harness.context();
  await context.addInitScript(() => {
    const original = MediaRecorder.isTypeSupported.bind(MediaRecorder);
    MediaRecorder.isTypeSupported = type => /mp4/.test(type) && original(type);
  });
  const page = await context.newPage();
  await page.goto(project.urls[0]!);
  await startRecording(page);
  await recordedFor(page, 3);
  await stop(page);
  const recorded = await kept(page);
  await button(page, 'Send').click();
  await heading(page, 'Your video has arrived').waitFor();
  const [clip] = await landed(harness, project);
  assert.equal(clip?.sha256, recorded.sha256);
  assert.equal(clip.mimeType, 'video/mp4');
  await context.close();
});
