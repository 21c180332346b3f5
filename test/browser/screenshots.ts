import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { print, runCommand } from '@recording-request/harness/command';
import { HELP_FLAG } from '@recording-request/harness/options';
import { openScratch } from '@recording-request/harness/scratch';
import { parseCommandLine } from '@recording-request/kit/command-line';
import { ensure } from '@recording-request/stack/install/ensure';
import { startServers } from '@recording-request/stack/servers';
import type { Page } from 'playwright-core';
import { button, heading, recordedFor, recordNow, stop } from './actions.ts';
import { dashboardScreenshots } from './dashboard-screenshots.ts';
import { observeScreenshots } from './observe-screenshots.ts';
import { makeSmall } from './small-picture.ts';
import { startTestBrowser, type TestBrowser } from './test-browser.ts';

const HELP = `npm run screenshots [-- phone|sideways|desktop | observe [ADDRESS]]

Makes docs/screenshots in some minutes: every screen of the recorder and the dashboard, on all devices or only the named one;
or the pages of a running npm run observe.
`;
const OUT = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
const DEVICES = [
  { name: 'phone', viewport: { width: 390, height: 760 }, isMobile: true, hasTouch: true },
  { name: 'sideways', viewport: { width: 844, height: 390 }, isMobile: true, hasTouch: true },
  { name: 'desktop', viewport: { width: 1280, height: 800 } },
] as const;
const SCHEMES = ['light', 'dark'] as const;

const FIELDS = {
  projectName: 'How was your first week?',
  noteEnabled: true,
  requireTerms: true,
  termsText: 'We use your video inside our team only, and delete it when you ask us to.',
  requestUrl: 'https://example.org/brief',
  maxDurationSec: 90,
};

type Take = (name: string) => Promise<void>;

const OWN = 'What would you tell somebody who starts tomorrow?';
const LANGUAGES = {
  german: { lang: 'de', projectName: 'Wie war Ihre erste Woche bei uns im Kundendienst?' },
  arabic: { lang: 'ar', projectName: 'كيف كان أسبوعك الأول؟' },
} as const;

async function ready(page: Page): Promise<void> {
  await page.locator('#ready-text', { hasText: 'We can see and hear you.' }).waitFor();
}

async function walk(harness: TestBrowser, page: Page, take: Take): Promise<void> {
  const project = await harness.project(FIELDS);
  await page.goto(project.urls[0]!);
  await page.locator('html[data-ready]').waitFor();
  await take('01-welcome');
  await page.getByLabel('I accept the terms').check();
  await button(page, 'Turn on the camera').click();
  await ready(page);
  await take('02-camera');
  await button(page, 'Start recording').click();
  await page.locator('#countdown', { hasText: '2' }).waitFor();
  await take('03-countdown');
  await button(page, 'Stop').waitFor();
  await recordedFor(page, 3);
  await take('04-recording');
  await button(page, 'Pause').click();
  await take('05-paused');
  await stop(page);
  await page.locator('#review-state', { hasText: '100%' }).waitFor();
  await page.locator('#playback[controls]').waitFor();
  await take('06-review');
  await page.route('**/uploads/*', route => route.abort());
  await page.context().setOffline(true);
  await button(page, 'Send').click();
  await page.getByText('No connection').waitFor();
  await take('07-not-sent-yet');
  await page.unroute('**/uploads/*');
  await page.context().setOffline(false);
  await heading(page, 'Your video has arrived').waitFor();
  await take('08-arrived');
}

async function interview(harness: TestBrowser, page: Page, take: Take): Promise<void> {
  const project = await harness.project({
    projectName: 'Working here',
    interviewQuestions: ['What made you join us?', OWN],
  });
  await page.goto(project.urls[0]!);
  await button(page, 'Turn on the camera').click();
  await ready(page);
  await take('09-interview');
  await page.goto(`${project.urls[0]}/thank-you`);
  await take('10-thank-you');
  await page.goto(`${project.urls[0]}x`);
  await take('11-unknown-link');
  const closed = await harness.project();
  const [link] = await harness.links(closed);
  await harness.api('PATCH', `/api/projects/${closed.projectId}/links/${link?.tokenId}`, { disabled: true });
  await page.goto(closed.urls[0]!);
  await take('12-closed-link');
}

async function held(harness: TestBrowser, page: Page, take: Take): Promise<void> {
  await page.goto((await harness.project(FIELDS)).urls[0]!);
  await page.getByLabel('I accept the terms').check();
  await button(page, 'Turn on the camera').click();
  await button(page, 'Start recording').click();
  await button(page, 'Record anyway').waitFor();
  await take('13-held-back');
}

async function noCamera(harness: TestBrowser, page: Page, take: Take): Promise<void> {
  await page.goto((await harness.project({ projectName: FIELDS.projectName })).urls[0]!);
  await button(page, 'Turn on the camera').click();
  await page.locator('#elsewhere-title:not(:empty)').waitFor();
  const code = page.locator('#elsewhere-qr');
  if (await code.isVisible()) await code.evaluate((image: HTMLImageElement) => image.decode());
  await take('14-no-camera');
}

/** Lets another device send first, so that this take can only be saved. */
async function lost(harness: TestBrowser, page: Page, take: Take): Promise<void> {
  const project = await harness.project();
  await page.goto(project.urls[0]!);
  await button(page, 'Turn on the camera').click();
  await recordNow(page);
  await recordedFor(page, 1);
  await stop(page);
  await page.locator('#review-state', { hasText: '100%' }).waitFor();
  const other = await harness.page();
  await other.goto(project.urls[0]!);
  const chooser = other.waitForEvent('filechooser');
  await button(other, 'Upload a video instead').first().click();
  await (await chooser).setFiles(await harness.clip(3));
  await button(other, 'Send').click();
  await heading(other, 'Your video has arrived').waitFor();
  await other.context().close();
  await button(page, 'Send').click();
  await page.locator('#save').waitFor();
  await take('15-lost-take');
}

async function languages(harness: TestBrowser, page: Page, take: Take): Promise<void> {
  for (const [at, [name, { lang, projectName }]] of Object.entries(LANGUAGES).entries()) {
    const project = await harness.project({ ...FIELDS, projectName });
    await page.goto(`${project.urls[0]}?lang=${lang}`);
    await page.locator('html[data-ready]').waitFor();
    await take(`${16 + 2 * at}-${name}-welcome`);
    await page.locator('#terms').check();
    await page.locator('#start').click();
    await page.locator('#record').click();
    await page.locator('#stop').waitFor();
    await recordedFor(page, 2);
    await page.locator('#stop').click();
    await page.locator('#playback[controls]').waitFor();
    await page.locator('#review-state', { hasText: '100' }).waitFor();
    await take(`${17 + 2 * at}-${name}-review`);
  }
}

const PARTS = [
  [walk, 'portrait'],
  [interview, 'portrait'],
  [held, 'silence'],
  [noCamera, 'none'],
  [lost, 'portrait'],
  [languages, 'portrait'],
] as const;

function parse(args: string[]) {
  const { values, positionals } = parseCommandLine({ args, allowPositionals: true, options: { help: HELP_FLAG } });
  return { ...values, what: positionals[0], address: positionals[1] };
}

async function main({ what, address }: ReturnType<typeof parse>, signal: AbortSignal): Promise<void> {
  if (what === 'observe') return await observeScreenshots(print, address);
  await ensure(['ffmpeg', 'flite', 'chromium'], print);
  await using stack = new AsyncDisposableStack();
  if (!process.env.MONGO_URL) {
    const scratch = stack.use(await openScratch('screenshots'));
    const servers = stack.use(await startServers({ dataDir: scratch.path, log: print, signal }));
    Object.assign(process.env, servers.env);
  }
  const harness = stack.use(await startTestBrowser());
  await recorderScreenshots(harness, what);
  await dashboardScreenshots(harness, print);
}

/** Takes a picture of every screen of the recorder, on every device in every color scheme. */
async function recorderScreenshots(harness: TestBrowser, only: string | undefined): Promise<void> {
  await mkdir(OUT, { recursive: true });
  for (const { name, ...device } of DEVICES.filter(({ name }) => name === (only ?? name))) {
    for (const colorScheme of SCHEMES) {
      for (const [part, fake] of name === 'sideways' ? PARTS.slice(0, 1) : PARTS) {
        const page = await harness.page({ ...device, colorScheme, device: fake });
        await part(harness, page, async step => {
          const path = join(OUT, `recorder-${step}-${name}-${colorScheme}.png`);
          await page.screenshot({ path });
          await makeSmall(path);
        });
        await page.context().close();
      }
      print(`recorder, ${name}, ${colorScheme}: done`);
    }
  }
}

await runCommand({ help: HELP, parse, run: main });
