import { after, before } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { button } from '../actions.ts';
import { deliver, finished } from '../dashboard-seed.ts';
import { type Project, type Submission, startTestBrowser, type TestBrowser } from '../test-browser.ts';

// The shared setup and page helpers of the dashboard tests.

export const WEATHER = 'the weather is good today and we want to go to the house';
export const PEOPLE = 'we have been here for many years and we like the people';

/** The services and browsers that the suites of dashboard.test.ts share; set before their tests run. */
export let harness: TestBrowser;
/** A project with two clips: an older upright clip about the weather, and a newer clip about people with a note. */
export let full: Project;
export let weather: Submission;
export let people: Submission;

async function start(): Promise<void> {
  harness = await startTestBrowser({ BRAND_ACCENT: '#d84315', BRAND_NAME: 'Bits & Pieces' });
  full = await harness.project({
    projectName: 'Customers',
    count: 3,
    sharedLinkEnabled: true,
    sharedLinkMaxUses: 9,
    transcriptionEnabled: true,
    noteEnabled: true,
  });
  await deliver(full.urls[0]!, WEATHER, { clip: { width: 180, height: 320 } });
  await deliver(full.sharedUrl, PEOPLE, { note: 'Call me (before 5 pm).' });
  [people, weather] = (await finished(harness, full, 2)) as [Submission, Submission];
}

let starting: Promise<void> | undefined;
/**
 * Waits for the services and browsers. The `before` of every suite calls this, because all suites start at the same
 * time.
 */
export const started = (): Promise<void> => (starting ??= start());
before(started);
after(() => harness?.[Symbol.asyncDispose]());

/** Opens a dashboard and waits until its script runs. */
export async function openPage(harness: TestBrowser, url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await harness.page(options);
  await page.goto(url);
  await page.locator('html[data-ready]').waitFor();
  return page;
}

export const cards = (page: Page) => page.locator('.clip:not(.skeleton)');
/** Waits until the open clip plays or is paused. From then on, a playing clip repeats. */
export const playback = (page: Page, state: 'plays' | 'paused') =>
  page.waitForFunction(paused => {
    const video = document.querySelector('video');
    if (!video || paused) return video?.paused;
    video.loop = true;
    // The clip may have played to its end before the first check.
    if (video.ended) void video.play();
    return !video.paused && video.currentTime > 0;
  }, state === 'paused');

export const viewer = (page: Page) => page.locator('#viewer');

export async function giveToken(page: Page, token: string): Promise<void> {
  await page.getByLabel('API token').fill(token);
  await button(page, 'Start reviewing').click();
}
