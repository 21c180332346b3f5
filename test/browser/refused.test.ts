import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { mintToken } from '@recording-request/contract/tokens';
import { until } from '@recording-request/testing/wait';
import type { FileChooser, Page } from 'playwright-core';
import { checkAccessibility } from './accessibility.ts';
import { button, ending, heading, kept, recordedFor, startRecording, stop } from './actions.ts';
import { landed, type Project, startTestBrowser, type TestBrowser } from './test-browser.ts';

let harness: TestBrowser;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'refused-'));
  // Sets the default expiry to one second. Only the test of an expired link creates a project that uses the default.
  harness = await startTestBrowser({ LINK_EXPIRY_DEFAULT_SECONDS: '1' });
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const SHARED = { sharedLinkEnabled: true, sharedLinkMaxUses: 1 };

async function sendTake(page: Page): Promise<void> {
  await startRecording(page);
  await recordedFor(page, 1);
  await stop(page);
  await button(page, 'Send').click();
  await ending(page, 'Your video has arrived');
}

async function disable(project: Project): Promise<void> {
  const [link] = await harness.links(project);
  await harness.api('PATCH', `/api/projects/${project.projectId}/links/${link?.tokenId}`, { disabled: true });
}

async function erase(project: Project): Promise<void> {
  const [link] = await harness.links(project);
  const token = await harness.tokenWith(['projects:erase']);
  const path = `/api/projects/${project.projectId}/links/${link?.tokenId}/erase`;
  const ask = async (body: object) => {
    const answer = await fetch(harness.system.baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.ok(answer.ok, `the erasure: ${answer.status}`);
    return (await answer.json()) as { confirm?: string };
  };
  const { confirm } = await ask({});
  await ask({ confirm });
}

/** Opens a page that takes files instead of recording, and chooses a file. */
async function withFile(
  project: Project,
  file: string | { name: string; mimeType: string; buffer: Buffer },
  options: { locale?: string; choose?: string } = {},
): Promise<Page> {
  const page = await harness.page({ locale: options.locale ?? 'en-GB' });
  await page.goto(project.urls[0]!);
  await page.locator('html[data-ready]').waitFor();
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    button(page, options.choose ?? 'Upload a video instead')
      .first()
      .click(),
  ]);
  await chooser.setFiles(file);
  return page;
}

test('a refused link shows why and changes nothing', async () => {
  const used = await harness.project(SHARED);
  const page = await harness.page();
  await page.goto(used.sharedUrl);
  const headResponse = page.waitForResponse(answer => answer.request().method() === 'HEAD');
  await sendTake(page);
  assert.equal((await headResponse).status(), 410, 'its only use is taken');
  assert.equal(await button(page, 'Record another').isHidden(), true);
  await landed(harness, used);
  await page.context().close();
  const disabled = await harness.project();
  await disable(disabled);
  const expired = await harness.project({ neverExpire: false });
  await until('the expiry of the link', async () => (await harness.links(expired))[0]?.status === 'expired', {
    limitMs: 10_000,
  });
  const closed = await harness.project();
  await harness.api('POST', `/api/projects/${closed.projectId}/close`);
  const erased = await harness.project();
  await erase(erased);
  const base = harness.system.baseUrl;
  for (const [url, title, status] of [
    [used.sharedUrl, 'This link has been used up', 410],
    [disabled.urls[0]!, 'This link is closed', 410],
    [expired.urls[0]!, 'This link has expired', 410],
    [closed.urls[0]!, 'This project is closed', 410],
    [erased.urls[0]!, 'This link is closed', 410],
    [`${base}/r/${mintToken('vr')}`, 'We can’t find this link', 404],
    [`${base}/r/nonsense`, 'We can’t find this link', 404],
  ] as const) {
    const visitor = await harness.page();
    const answer = await visitor.goto(url);
    assert.equal(answer?.status(), status, title);
    await ending(visitor, title);
    assert.equal(await visitor.getByRole('button').count(), 0, 'the page has no buttons');
    await checkAccessibility(visitor, title);
    await visitor.context().close();
  }
});

test('a link that is closed while its page is open refuses to begin and shows why', async () => {
  const project = await harness.project();
  const page = await harness.page();
  await page.goto(project.urls[0]!);
  await disable(project);
  await button(page, 'Turn on the camera').click();
  await page.locator('#ready-text', { hasText: 'We can see and hear you.' }).waitFor();
  await button(page, 'Start recording').click();
  await ending(page, 'Recording couldn’t start');
  await page.locator('#problem-text', { hasText: 'This link is no longer accepting videos.' }).waitFor();
  await checkAccessibility(page, 'could not begin');
  await button(page, 'Check again').click();
  await ending(page, 'This link is closed');
  await page.context().close();
});

test('a link with all places in use says to come back later, and accepts a later contributor', async () => {
  const project = await harness.project(SHARED);
  const begun = await fetch(`${project.sharedUrl}/responses`, { method: 'POST' });
  assert.equal(begun.status, 201);
  const page = await harness.page();
  await page.goto(project.sharedUrl);
  await button(page, 'Turn on the camera').click();
  await page.locator('#ready-text', { hasText: 'We can see and hear you.' }).waitFor();
  await button(page, 'Start recording').click();
  await ending(page, 'Recording couldn’t start');
  const text = 'Every spot on this link is taken right now. Please try again later.';
  await page.locator('#problem-text', { hasText: text }).waitFor();
  await checkAccessibility(page, 'link busy');
  await harness.api('PATCH', `/api/projects/${project.projectId}`, { sharedLinkMaxUses: 3 });
  await button(page, 'Try again').click();
  await sendTake(page);
  await button(page, 'Record another').click();
  await sendTake(page);
  assert.equal((await landed(harness, project, 2)).length, 2, 'two responses from one browser');
  // All contributors behind one address share its rate limit.
  await page.route(project.sharedUrl, route =>
    route.request().method() === 'HEAD' ? route.fulfill({ status: 429 }) : route.continue(),
  );
  await page.reload();
  await page.locator('#done-text', { hasText: 'You’ve already sent your video' }).waitFor();
  await button(page, 'Record another').waitFor();
  await page.context().close();
});

test('no recording begins without accepted terms, also if the owner adds the terms meanwhile', async () => {
  const project = await harness.project({ requireTerms: true, termsLabel: 'Fine with me' });
  const page = await harness.page();
  await page.goto(project.urls[0]!);
  await button(page, 'Turn on the camera').click();
  await page.getByRole('alert').filter({ hasText: 'Please accept the terms first.' }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'terms', 'the box has the focus');
  await page.context().close();

  const later = await harness.project();
  const other = await harness.page();
  await other.goto(later.urls[0]!);
  await harness.api('PATCH', `/api/projects/${later.projectId}`, { requireTerms: true, termsLabel: 'Fine with me' });
  await button(other, 'Turn on the camera').click();
  await other.locator('#ready-text', { hasText: 'We can see and hear you.' }).waitFor();
  await button(other, 'Start recording').click();
  await other.locator('#problem-text', { hasText: 'The terms have changed.' }).waitFor();
  await button(other, 'Try again').click();
  await other.getByLabel('Fine with me').check();
  await sendTake(other);
  const [clip] = await landed(harness, later);
  assert.equal(clip?.termsAccepted, true);
  await other.context().close();
});

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Makes a file with ffmpeg from the clip of the fake camera. */
async function made(name: string, args: string[]): Promise<string> {
  const file = join(folder, name);
  const input = await harness.clip(3);
  const { status, stderr } = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-i', input, ...args, file]);
  assert.equal(status, 0, String(stderr));
  return file;
}

test('the page refuses a file that is not a video, says what it is, and lets the contributor choose another', async () => {
  const project = await harness.project();
  const page = await harness.page();
  const sent: string[] = [];
  page.on('request', request => /\/(?:uploads|responses)/.test(request.url()) && sent.push(request.url()));
  await page.goto(project.urls[0]!);
  await page.locator('html[data-ready]').waitFor();
  const choose = async (file: Parameters<FileChooser['setFiles']>[0], name: string) => {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button(page, name).first().click()]);
    await chooser.setFiles(file);
  };
  const bytes = (name: string, buffer: Buffer, mimeType = 'video/mp4') => ({ name, buffer, mimeType });
  const FILES: [file: Parameters<FileChooser['setFiles']>[0], says: string][] = [
    [bytes('report.mp4', Buffer.from('%PDF-1.7\n'.repeat(500))), 'is a PDF, not a video.'],
    [bytes('photo.mp4', PNG), 'is a picture, not a video.'],
    [bytes('clip.mp4', Buffer.from('no video at all '.repeat(500))), 'is not a video.'],
    [bytes('clip.avi', Buffer.from('RIFF....AVI '.repeat(400)), 'video/x-msvideo'), 'MP4, MOV or WebM'],
    [bytes('nothing.mp4', Buffer.alloc(0)), 'is empty.'],
    [await made('voice.mp4', ['-vn', '-c:a', 'copy']), 'has sound but no picture.'],
    [await made('voice.webm', ['-vn', '-c:a', 'libopus']), 'has sound but no picture.'],
    [await made('voice.wav', ['-vn']), 'has sound but no picture.'],
  ];
  let name = 'Upload a video instead';
  for (const [file, says] of FILES) {
    await choose(file, name);
    const called = typeof file === 'string' ? file.split('/').at(-1)! : (file as { name: string }).name;
    const alert = page.getByRole('alert').filter({ hasText: says, visible: true });
    await alert.filter({ hasText: called }).waitFor();
    assert.equal(await page.getByText('still send it').isVisible(), false, called);
    name = 'Choose another';
  }
  await checkAccessibility(page, 'a file that is not a video');
  assert.deepEqual(sent, [], 'the page claims no use and sends nothing');
  await choose(await harness.clip(3), name);
  await button(page, 'Send').click();
  await heading(page, 'Your video has arrived').waitFor();
  assert.equal((await landed(harness, project)).length, 1);
  await page.context().close();
});

test('a fake video is refused in the language of the page, without an offer to save it', async () => {
  const project = await harness.project();
  const choose = 'Stattdessen ein Video hochladen';
  const noise = Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.from('no video at all '.repeat(500))]);
  const page = await withFile(
    project,
    { name: 'clip.webm', mimeType: 'video/webm', buffer: noise },
    { locale: 'de-DE', choose },
  );
  await page.getByText('Dieser Browser kann dieses Video nicht abspielen.').waitFor();
  await button(page, 'Senden').click();
  await heading(page, 'Wir konnten dieses Video nicht annehmen').waitFor();
  await page.locator('#problem-text', { hasText: 'Das ist kein Video, das wir abspielen können.' }).waitFor();
  assert.equal(await page.locator('#save').isVisible(), false);
  await checkAccessibility(page, 'refused take');
  const another = button(page, 'Ein anderes wählen');
  assert.equal(await another.getAttribute('class'), 'primary');
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), another.click()]);
  await chooser.setFiles(await harness.clip(3));
  await button(page, 'Senden').click();
  await heading(page, 'Ihr Video ist angekommen').waitFor();
  assert.equal((await landed(harness, project)).length, 1);
  await page.context().close();
});

test('a video that this browser cannot decode shows a warning but no black player, and can be sent', async () => {
  const project = await harness.project();
  const hevc = ['-c:v', 'libx265', '-x265-params', 'log-level=none:pools=1', '-tag:v', 'hvc1', '-preset', 'ultrafast'];
  const page = await withFile(project, await made('IMG_0001.MOV', [...hevc, '-c:a', 'aac', '-f', 'mov']));
  await page.locator('#review-warning', { hasText: 'This browser can’t show this video.' }).waitFor();
  assert.equal(await page.locator('#playback').isVisible(), false);
  await button(page, 'Send').click();
  await heading(page, 'Your video has arrived').waitFor();
  assert.equal((await landed(harness, project)).length, 1);
  await page.context().close();
});

test('the page explains in its language that the server refused a take as too long', async () => {
  const project = await harness.project({ maxDurationSec: 4 });
  const context = await harness.context({ locale: 'ja-JP' });
  // Simulates a browser that cannot determine the length of a file.
  await context.addInitScript(() =>
    Object.defineProperty(HTMLMediaElement.prototype, 'duration', { get: () => Number.NaN }),
  );
  const page = await context.newPage();
  await page.goto(project.urls[0]!);
  await page.locator('html[data-ready]').waitFor();
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.locator('#choose-file').click()]);
  await chooser.setFiles(await harness.clip(8));
  await page.locator('#send').click();
  await page.locator('#problem-text', { hasText: '0:04 を超えています。' }).waitFor();
  assert.doesNotMatch(
    (await page.locator('#screen-problem').textContent()) ?? '',
    /[a-z]{4}/,
    'the text has no English',
  );
  await context.close();
});

test('a file that is deleted before Send is sent from the device’s storage, or reported as unreadable', async () => {
  const clip = await harness.clip(3);
  const file = join(tmpdir(), `removed-${process.pid}.mp4`);
  for (const isStored of [true, false]) {
    const project = await harness.project();
    const page = await harness.page();
    // Simulates a private window, which stores nothing.
    if (!isStored) await page.addInitScript(() => Object.defineProperty(globalThis, 'indexedDB', { value: undefined }));
    let isRemoved = false;
    await page.route('**/uploads/*', route =>
      route.request().method() === 'PATCH' && !isRemoved ? route.abort() : route.continue(),
    );
    await copyFile(clip, file);
    await page.goto(project.urls[0]!);
    await page.locator('html[data-ready]').waitFor();
    const choose = async (path: string, name: string) => {
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button(page, name).first().click()]);
      await chooser.setFiles(path);
      await heading(page, 'Watch it back').waitFor();
    };
    await choose(file, 'Upload a video instead');
    await rm(file);
    isRemoved = true;
    if (!isStored) {
      await page.getByRole('alert').filter({ hasText: 'We couldn’t read this file.' }).waitFor();
      await choose(clip, 'Choose another');
    }
    await button(page, 'Send').click();
    await heading(page, 'Your video has arrived').waitFor();
    assert.equal((await landed(harness, project))[0]?.incomplete, false);
    await page.context().close();
  }
});

test('if a link was used up meanwhile, the take can be saved now and on a later visit', async () => {
  const project = await harness.project();
  const [mine, other] = [await harness.page(), await harness.page()];
  await mine.goto(project.urls[0]!);
  await startRecording(mine);
  await recordedFor(mine, 2);
  await stop(mine);
  await mine.locator('#review-state', { hasText: '100% uploaded' }).waitFor();
  const recorded = await kept(mine);
  await other.goto(project.urls[0]!);
  await sendTake(other);
  await button(mine, 'Send').click();
  await ending(mine, 'This video couldn’t be sent');
  await mine.locator('#problem-text', { hasText: 'This was already answered, here or on another device.' }).waitFor();
  await checkAccessibility(mine, 'lost take');
  for (let visit = 0; visit < 2; visit++) {
    const [download] = await Promise.all([
      mine.waitForEvent('download'),
      mine.getByRole('link', { name: 'Save video to this device' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'recording.webm');
    assert.equal((await kept(mine)).sha256, recorded.sha256, 'the take is still on the device');
    if (visit > 0) continue;
    await mine.reload();
    await mine.locator('#problem-text', { hasText: 'This was already answered, here or on another device.' }).waitFor();
  }
  assert.equal((await harness.submissions(project)).length, 1);
  await mine.context().close();
  await other.context().close();
});
