import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { checkAccessibility } from '../accessibility.ts';
import { button, ending, heading, recordedFor, recordNow, startRecording, stop } from '../actions.ts';
import { landed } from '../test-browser.ts';
import { harness } from './pages-harness.ts';

const PHONE = { viewport: { width: 390, height: 760 }, isMobile: true, hasTouch: true };

/** Returns the camera and the microphone in use. */
const inUse = (page: Page) =>
  page.evaluate(() => {
    const stream = (document.getElementById('live') as HTMLVideoElement).srcObject as MediaStream;
    const id = (track: MediaStreamTrack | undefined) => track?.getSettings().deviceId ?? '';
    return { camera: id(stream.getVideoTracks()[0]), microphone: id(stream.getAudioTracks()[0]) };
  });

/** Returns the proportions of a video's picture, and how the picture fits the upright element. */
async function fitOf(page: Page, id: 'live' | 'playback'): Promise<string> {
  await page.waitForFunction(id => (document.getElementById(id) as HTMLVideoElement).videoWidth > 0, id);
  return page.evaluate(id => {
    const video = document.getElementById(id) as HTMLVideoElement;
    return `${video.videoWidth > video.videoHeight ? 'wide' : 'upright'}, ${getComputedStyle(video).objectFit}`;
  }, id);
}

/** Fails unless a phone held sideways shows the whole picture, and next to it the complete texts and buttons. */
async function assertBeside(page: Page, ids: string[]): Promise<void> {
  for (const viewport of [
    { width: 844, height: 390 },
    { width: 667, height: 375 },
  ]) {
    await page.setViewportSize(viewport);
    await page.waitForFunction(width => innerWidth === width, viewport.width);
    const boxes = await page.evaluate(
      ids => ids.map(id => document.getElementById(id)!.getBoundingClientRect().toJSON() as DOMRect),
      ['live', ...ids],
    );
    const [picture, ...rail] = boxes;
    assert.ok(picture!.width >= viewport.width * 0.6 && picture!.height === viewport.height, 'the picture is large');
    for (const [at, { left, right, top, bottom, width }] of rail.entries()) {
      const what = `${ids[at]} at ${viewport.width}×${viewport.height}`;
      assert.ok(width > 0 && left >= picture!.right, `${what} lies over the face`);
      assert.ok(right <= viewport.width && top >= 0 && bottom <= viewport.height, `${what} is cut off`);
    }
  }
  await page.setViewportSize(PHONE.viewport);
}

const usesOther = (page: Page, kind: 'camera' | 'microphone', than: string) =>
  page.waitForFunction(
    ({ kind, than }) => {
      const stream = (document.getElementById('live') as HTMLVideoElement).srcObject as MediaStream | null;
      const track = kind === 'camera' ? stream?.getVideoTracks()[0] : stream?.getAudioTracks()[0];
      return track?.readyState === 'live' && track.getSettings().deviceId !== than;
    },
    { kind, than },
  );

test('another camera and another microphone can be chosen; a phone turns to its other camera', async () => {
  const project = await harness.project();
  const page = await harness.page({ device: 'cameras', ...PHONE });
  await page.goto(project.urls[0]!);
  await button(page, 'Turn on the camera').click();
  await page.locator('#ready-text', { hasText: 'We can see and hear you.' }).waitFor();
  assert.equal(await fitOf(page, 'live'), 'wide, contain', 'the contributor sees all that is recorded');
  await assertBeside(page, ['level', 'ready-text', 'record', 'devices', 'flip']);
  const first = await inUse(page);
  await page.locator('#devices summary').click();
  const other = (id: string, used: string) =>
    page.locator(`#${id} option`).evaluateAll((all, used) => {
      const values = all.map(each => (each as HTMLOptionElement).value);
      return values.find(value => value !== used) ?? '';
    }, used);
  await checkAccessibility(page, 'the choice of devices');
  await page.getByRole('combobox', { name: 'Camera', exact: true }).selectOption(await other('camera', first.camera));
  await usesOther(page, 'camera', first.camera);
  const second = await inUse(page);
  await page
    .getByRole('combobox', { name: 'Microphone', exact: true })
    .selectOption(await other('microphone', first.microphone));
  await usesOther(page, 'microphone', first.microphone);
  assert.equal((await inUse(page)).camera, second.camera, 'the chosen camera stays');
  await page.keyboard.press('Escape');
  await button(page, 'Switch camera').click();
  await usesOther(page, 'camera', second.camera);
  assert.equal((await inUse(page)).camera, first.camera);
  await recordNow(page);
  assert.equal(await button(page, 'Switch camera').isVisible(), false, 'not in the middle of a take');
  await assertBeside(page, ['elapsed', 'left', 'rec-safe', 'stop', 'pause']);
  await recordedFor(page, 1);
  await stop(page);
  assert.equal(await fitOf(page, 'playback'), 'wide, contain', 'and all that was recorded');
  await button(page, 'Send').click();
  await heading(page, 'Your video has arrived').waitFor();
  assert.equal((await landed(harness, project)).length, 1);
  await page.context().close();
});

test('if a camera cannot be turned on, the previous one stays on', async () => {
  const project = await harness.project();
  const page = await harness.page({ device: 'cameras' });
  await page.goto(project.urls[0]!);
  await button(page, 'Turn on the camera').click();
  await page.locator('#ready-text', { hasText: 'We can see and hear you.' }).waitFor();
  const { camera } = await inUse(page);
  await page.evaluate(() => {
    const original = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    let calls = 0;
    navigator.mediaDevices.getUserMedia = constraints =>
      ++calls === 1 ? Promise.reject(new DOMException('busy', 'NotReadableError')) : original(constraints);
  });
  await page.locator('#devices summary').click();
  const other = await page.locator('#camera option:not(:checked)').first().getAttribute('value');
  await page.getByRole('combobox', { name: 'Camera', exact: true }).selectOption(other);
  await page.waitForFunction(
    used =>
      (document.getElementById('camera') as HTMLSelectElement).value === used && document.querySelector('#record'),
    camera,
  );
  assert.equal((await inUse(page)).camera, camera);
  await page.keyboard.press('Escape');
  await recordNow(page);
  await page.context().close();
});

test('the level moves with sound, and rests without', async () => {
  const project = await harness.project();
  const level = async (device: 'speech' | 'silence') => {
    const page = await harness.page({ device });
    await page.goto(project.urls[0]!);
    await button(page, 'Turn on the camera').click();
    await page.locator('#ready-text:not(:empty)').waitFor();
    const heard = await page.evaluate(async device => {
      const seen = new Set<number>();
      const moves = () => seen.size > 4 && Math.max(...seen) > 30;
      // The level shows speech at once, but silence only after some time.
      const until = performance.now() + (device === 'speech' ? 20_000 : 2_500);
      while (performance.now() < until && !(device === 'speech' && moves())) {
        seen.add(Number(document.getElementById('level')?.getAttribute('aria-valuenow')));
        await new Promise(resolve => requestAnimationFrame(resolve));
      }
      return [...seen];
    }, device);
    await page.context().close();
    return heard;
  };
  const speech = await level('speech');
  assert.ok(Math.max(...speech) > 30 && speech.length > 4, `speech: ${speech}`);
  assert.ok(Math.max(...(await level('silence'))) <= 5, 'silence');
});

test('the screen stays on only during recording and sending', async () => {
  const project = await harness.project();
  const context = await harness.context();
  await context.addInitScript(() => {
    const wake = { held: 0, taken: 0 };
    Object.assign(globalThis, { wake });
    navigator.wakeLock.request = async () => {
      wake.held += 1;
      wake.taken += 1;
      const lock = new EventTarget() as WakeLockSentinel;
      return Object.assign(lock, {
        release: async () => {
          wake.held -= 1;
          lock.dispatchEvent(new Event('release'));
        },
      });
    };
  });
  const page = await context.newPage();
  const held = (count: number) =>
    page.waitForFunction(count => (globalThis as unknown as { wake: { held: number } }).wake.held === count, count);
  await page.goto(project.urls[0]!);
  await held(0);
  await startRecording(page);
  await held(1);
  await button(page, 'Pause').click();
  await held(1);
  await button(page, 'Resume').click();
  await recordedFor(page, 1);
  await stop(page);
  await held(0);
  await context.route('**/uploads/**', route => route.abort());
  await button(page, 'Send').click();
  await heading(page, 'Not sent yet').waitFor();
  await held(1);
  await context.unroute('**/uploads/**');
  await heading(page, 'Your video has arrived').waitFor();
  await held(0);
  await context.close();
});

test('a computer without a camera offers a QR code that opens the same link on a phone', async () => {
  const project = await harness.project();
  const page = await harness.page({ device: 'none' });
  await page.goto(project.urls[0]!);
  await button(page, 'Turn on the camera').click();
  await ending(page, 'Continue on your phone');
  await page.getByText('We can’t find a camera and microphone.').waitFor();
  await checkAccessibility(page, 'the page for a phone');
  const picture = join(tmpdir(), `qr-${process.pid}.png`);
  const code = page.getByAltText('QR code of this link');
  await code.evaluate((image: HTMLImageElement) => image.decode());
  await code.screenshot({ path: picture });
  const read = spawnSync('zbarimg', ['--quiet', '--raw', picture], { encoding: 'utf8', timeout: 30_000 });
  await rm(picture);
  assert.equal(read.stdout.trim(), project.urls[0]);
  await button(page, 'Copy link').click();
  await page.getByText('Link copied.').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), project.urls[0]);
  const [link] = await harness.links(project);
  assert.equal(link?.remainingUses, 1, 'the link still has its use');
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    button(page, 'Upload a video instead').last().click(),
  ]);
  await chooser.setFiles(await harness.clip(3));
  await heading(page, 'Watch it back').waitFor();
  await button(page, 'Send').click();
  await heading(page, 'Your video has arrived').waitFor();
  await page.context().close();
});

test("an app's browser without a camera offers the camera app, or the link for the real browser", async () => {
  const project = await harness.project();
  const context = await harness.context(PHONE);
  await context.addInitScript(() => {
    Object.assign(globalThis, { MediaRecorder: undefined });
    for (const name of ['mediaDevices', 'clipboard']) Object.defineProperty(navigator, name, { value: undefined });
  });
  const page = await context.newPage();
  await page.goto(project.urls[0]!);
  await page.getByText('This browser can’t record.').waitFor();
  assert.equal(await button(page, 'Record with your camera app').getAttribute('class'), 'primary');
  await button(page, 'Use another device or browser').click();
  await ending(page, 'Open this page in your browser');
  await page.getByText('Choose “Open in browser” in its menu').waitFor();
  assert.equal(await page.getByAltText('QR code of this link').isVisible(), false, 'no code on the phone itself');
  await checkAccessibility(page, 'the page for the browser');
  await button(page, 'Copy link').click();
  await page.getByText('Copy this link:').waitFor();
  assert.equal(await page.getByLabel('Link', { exact: true }).inputValue(), project.urls[0]);
  await button(page, 'Try again').click();
  await button(page, 'Record with your camera app').waitFor();
  await context.close();
});

test('if a camera delivers nothing to record, the page reports it and the contributor can record again', async () => {
  const project = await harness.project();
  const context = await harness.context();
  await context.addInitScript(() => {
    const start = MediaRecorder.prototype.start;
    let starts = 0;
    MediaRecorder.prototype.start = function (this: MediaRecorder, slice?: number) {
      starts += 1;
      // The first recorder delivers no data, the second does not start.
      if (starts === 1) this.ondataavailable = null;
      if (starts === 2) throw new DOMException('no', 'NotSupportedError');
      start.call(this, slice);
    };
  });
  const page = await context.newPage();
  await page.goto(project.urls[0]!);
  await startRecording(page);
  await recordedFor(page, 1);
  await button(page, 'Stop').click();
  await page.getByText('Nothing was recorded.').waitFor();
  await button(page, 'Turn on the camera').click();
  await page.locator('#ready-text', { hasText: 'We can see and hear you.' }).waitFor();
  await button(page, 'Start recording').click();
  await page.getByText('Nothing was recorded.').waitFor();
  await startRecording(page);
  await recordedFor(page, 1);
  await stop(page);
  await context.close();
});

test('no service log contains a link token', async () => {
  const logs = await harness.system.logs();
  assert.match(logs, /\/r\/:token\/qr\.png/, 'the log has the requests by route pattern');
  assert.doesNotMatch(logs, /vr_[\w-]{8}/);
});
