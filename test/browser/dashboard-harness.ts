import type { BrowserContextOptions, Page } from 'playwright-core';
import { button } from './actions.ts';
import { deliver, finished } from './dashboard-seed.ts';
import { type Project, type Submission, startTestBrowser, type TestBrowser } from './test-browser.ts';

// What the tests of the dashboard begin with, and what they look at.

export const WEATHER = 'the weather is good today and we want to go to the house';
export const PEOPLE = 'we have been here for many years and we like the people';

export interface TestDashboard extends TestBrowser {
  /** Two clips, the older one about the weather and the newer about people, with a note. */
  full: Project;
  weather: Submission;
  people: Submission;
}

export async function startTestDashboard(): Promise<TestDashboard> {
  await using starting = new AsyncDisposableStack();
  const harness = starting.use(await startTestBrowser({ BRAND_ACCENT: '#d84315', BRAND_NAME: 'Bits & Pieces' }));
  const full = await harness.project({
    projectName: 'Customers',
    count: 3,
    sharedLinkEnabled: true,
    sharedLinkMaxUses: 9,
    transcriptionEnabled: true,
    noteEnabled: true,
  });
  await deliver(full.urls[0]!, WEATHER);
  await deliver(full.sharedUrl, PEOPLE, { note: 'Call me (before 5 pm).' });
  const [people, weather] = (await finished(harness, full, 2)) as [Submission, Submission];
  const started = starting.move();
  return { ...harness, full, weather, people, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** A dashboard whose script runs. */
export async function openPage(harness: TestBrowser, url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await harness.page(options);
  await page.goto(url);
  await page.locator('html[data-ready]').waitFor();
  return page;
}

export const cards = (page: Page) => page.locator('.clip:not(.skeleton)');
export const viewer = (page: Page) => page.locator('#viewer');

export async function giveToken(page: Page, token: string): Promise<void> {
  await page.getByLabel('API token').fill(token);
  await button(page, 'Start reviewing').click();
}
