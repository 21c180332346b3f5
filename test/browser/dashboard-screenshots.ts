import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beginResponse } from '@recording-request/testing/contributor';
import type { Page } from 'playwright-core';
import { deliver, finished, setState } from './dashboard-seed.ts';
import { makeSmall } from './small-picture.ts';
import type { Project, TestBrowser } from './test-browser.ts';

// Makes the dashboard's pictures in docs/screenshots/, on a phone and a desktop, in light and dark colours. screenshots.ts
// calls it.

const DOCS = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
const DEVICES = [
  { name: 'phone', viewport: { width: 390, height: 760 }, isMobile: true, hasTouch: true },
  { name: 'desktop', viewport: { width: 1280, height: 800 } },
] as const;
const SCHEMES = ['light', 'dark'] as const;

const SPOKEN_TEXTS = [
  'the weather is good today and we want to go to the house',
  'we have been here for many years and we like the people',
  'i would like to see more of this next year',
  'it was easy to begin and everybody helped me on the first day',
  'the work is good and the time is short',
];

interface Stage {
  full: Project;
  interview: Project;
  empty: Project;
  token: string;
  clip: string;
}

/** Creates a project with clips, an interview, and a project without clips. */
async function prepare(harness: TestBrowser): Promise<Stage> {
  const shared = { sharedLinkEnabled: true, sharedLinkMaxUses: 50, transcriptionEnabled: true, noteEnabled: true };
  const [full, interview, empty] = await Promise.all([
    harness.project({
      projectName: 'What our customers say',
      count: 12,
      neverExpire: false,
      expiresInDays: 30,
      ...shared,
    }),
    harness.project({
      projectName: 'Working here',
      count: 4,
      transcriptionEnabled: true,
      interviewQuestions: ['What made you join us?', 'What surprised you?', 'What would you change?'],
    }),
    harness.project({ projectName: 'Summer party', count: 3, sharedLinkEnabled: true }),
  ]);
  const upright = { width: 360, height: 640 };
  for (const [index, text] of SPOKEN_TEXTS.entries()) {
    const clip = { question: index, ...(index % 2 === 1 && upright) };
    await deliver(index < 3 ? full.urls[index]! : full.sharedUrl, text, {
      clip,
      ...(index === 1 && { note: 'Please call me before you use it.' }),
    });
  }
  for (const person of [0, 1]) {
    const session = await beginResponse(interview.urls[person]!);
    const answers = SPOKEN_TEXTS.slice(person, 3);
    for (const [questionIndex, text] of answers.entries())
      await deliver(interview.urls[person]!, text, { questionIndex, session, clip: { question: person + 3 } });
  }
  await fetch(`${full.urls[4]}/opened`, { method: 'POST' });
  const clips = await finished(harness, full, SPOKEN_TEXTS.length);
  await finished(harness, interview, 5);
  const [latest, second, third, fourth] = clips.map(({ submissionId }) => submissionId);
  const at = `/api/projects/${full.projectId}/submissions`;
  await harness.api('PATCH', `${at}/${fourth}`, { selected: true, reviewNote: 'For the front page.' });
  await harness.api('PATCH', `${at}/${latest}`, { selected: true });
  await setState(harness, second!, { incomplete: true });
  await setState(harness, third!, {
    transcriptStatus: 'failed',
    transcriptError: 'The speech service did not answer in time.',
    transcriptText: undefined,
  });
  return { full, interview, empty, token: await harness.tokenWith(['projects:write']), clip: fourth! };
}

async function ready(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator('html[data-ready]').waitFor();
  await pictures(page);
}

/** Waits until every visible picture has loaded. */
const pictures = (page: Page) =>
  page.waitForFunction(() =>
    [...document.images].every(
      image => image.complete || image.getBoundingClientRect().top > innerHeight || !image.checkVisibility(),
    ),
  );

async function walk(page: Page, stage: Stage, take: (name: string) => Promise<void>): Promise<void> {
  await ready(page, stage.full.dashboardUrl);
  await page
    .locator('.clip img')
    .first()
    .evaluate((image: HTMLImageElement) => image.decode());
  await take('1-clips');
  await page.getByRole('searchbox').fill('good');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.locator('mark').first().waitFor();
  await pictures(page);
  await take('2-search');
  await page.goto(`${stage.full.dashboardUrl}#links`);
  await pictures(page);
  await take('4-links');
  await page.goto(`${stage.full.dashboardUrl}#downloads`);
  await page.locator('.download').first().waitFor();
  await take('5-downloads');
  await ready(page, stage.interview.dashboardUrl);
  await take('6-interview');
  await ready(page, stage.empty.dashboardUrl);
  await take('7-empty');
  await page.route('**/overview', route => route.fulfill({ status: 503, body: '{"error":"The service is busy."}' }));
  await ready(page, stage.full.dashboardUrl);
  await page.locator('#banner').waitFor();
  await take('8-not-answering');
  await page.goto(`${new URL(stage.full.dashboardUrl).origin}/project/none`);
  await take('9-unknown');
}

async function review(page: Page, stage: Stage, take: (name: string) => Promise<void>): Promise<void> {
  await ready(page, stage.full.dashboardUrl);
  await page.getByRole('button', { name: 'Review clips' }).click();
  await page.getByLabel('API token').waitFor();
  await take('10-token');
  await page.getByLabel('API token').fill(stage.token);
  await page.getByRole('button', { name: 'Start reviewing' }).click();
  await page.getByRole('button', { name: 'Forget token' }).waitFor();
  await page.goto(`${stage.full.dashboardUrl}#clip-${stage.clip}`);
  await page.locator('.cue').first().waitFor();
  await page.locator('.cue').last().click();
  await page.locator('.cue[aria-current]').waitFor();
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 1);
  await page.locator('video').evaluate((video: HTMLVideoElement) => video.pause());
  await take('3-player');
}

/** Takes a picture of every state of the dashboard, on every device in every color scheme. */
export async function dashboardScreenshots(harness: TestBrowser, log: (line: string) => void): Promise<void> {
  await mkdir(DOCS, { recursive: true });
  const stage = await prepare(harness);
  log('the clips are ready');
  for (const { name, ...device } of DEVICES.filter(({ name }) => name === (process.argv[2] ?? name))) {
    for (const colorScheme of SCHEMES) {
      for (const part of [walk, review]) {
        const page = await harness.page({ ...device, colorScheme });
        await part(page, stage, async step => {
          const path = join(DOCS, `dashboard-${step}-${name}-${colorScheme}.png`);
          await page.screenshot({ path });
          await makeSmall(path);
        });
        await page.context().close();
      }
      log(`dashboard, ${name}, ${colorScheme}: done`);
    }
  }
}
