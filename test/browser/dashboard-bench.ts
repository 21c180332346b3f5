import type { BrowserContextOptions, Page } from 'playwright-core';
import { button } from './actions.ts';
import { type Bench, openBench, type Project, type Submission } from './bench.ts';
import { deliver, finished } from './dashboard-scene.ts';

// What the tests of the dashboard begin with, and what they look at.

export const WEATHER = 'the weather is good today and we want to go to the house';
export const PEOPLE = 'we have been here for many years and we like the people';

export interface DashboardBench extends Bench {
  /** Two clips, the older one about the weather and the newer about people, with a note. */
  full: Project;
  weather: Submission;
  people: Submission;
}

export async function openDashboardBench(): Promise<DashboardBench> {
  await using starting = new AsyncDisposableStack();
  const bench = starting.use(await openBench({ BRAND_ACCENT: '#d84315', BRAND_NAME: 'Bits & Pieces' }));
  const full = await bench.project({
    projectName: 'Customers',
    count: 3,
    sharedLinkEnabled: true,
    sharedLinkMaxUses: 9,
    transcriptionEnabled: true,
    noteEnabled: true,
  });
  await deliver(full.urls[0]!, WEATHER);
  await deliver(full.sharedUrl, PEOPLE, { note: 'Call me (before 5 pm).' });
  const [people, weather] = (await finished(bench, full, 2)) as [Submission, Submission];
  const started = starting.move();
  return { ...bench, full, weather, people, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** A dashboard whose script runs. */
export async function openPage(bench: Bench, url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await bench.page(options);
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
