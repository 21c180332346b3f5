import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensure } from '@recording-request/stack/install/ensure';
import { startServers } from '@recording-request/stack/servers';
import type { Page } from 'playwright-core';
import { button, heading, recordedFor, stop } from './actions.ts';
import { type Bench, openBench } from './bench.ts';

// Makes docs/screenshots/: the recorder's screens on a phone and a desktop, light and dark.
//   node test/browser/screenshots.ts

const OUT = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
const DEVICES = [
  { name: 'phone', viewport: { width: 390, height: 760 }, isMobile: true, hasTouch: true },
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

async function walk(bench: Bench, page: Page, take: (name: string) => Promise<void>): Promise<void> {
  const project = await bench.project(FIELDS);
  await page.goto(project.urls[0]!);
  await page.locator('html[data-ready]').waitFor();
  await take('1-welcome');
  await page.getByLabel('I accept the terms').check();
  await button(page, 'Turn on the camera').click();
  await page.locator('#ready-text', { hasText: 'We can see and hear you.' }).waitFor();
  await take('2-camera');
  await button(page, 'Start recording').click();
  await page.locator('#countdown', { hasText: '2' }).waitFor();
  await take('3-countdown');
  await button(page, 'Stop').waitFor();
  await recordedFor(page, 3);
  await take('4-recording');
  await stop(page);
  await page.locator('#review-state', { hasText: '100 %' }).waitFor();
  await take('5-review');
  await page.route('**/uploads/*', route => route.abort());
  await page.context().setOffline(true);
  await button(page, 'Send').click();
  await page.getByText('The connection is gone').waitFor();
  await take('6-not-sent-yet');
  await page.unroute('**/uploads/*');
  await page.context().setOffline(false);
  await heading(page, 'It has arrived').waitFor();
  await take('7-arrived');
}

async function others(bench: Bench, page: Page, take: (name: string) => Promise<void>): Promise<void> {
  const interview = await bench.project({
    projectName: 'Working here',
    interviewQuestions: ['What made you join us?', 'What would you tell somebody who starts tomorrow?'],
  });
  await page.goto(interview.urls[0]!);
  await button(page, 'Turn on the camera').click();
  await page.locator('#ready-text', { hasText: 'We can see and hear you.' }).waitFor();
  await take('8-interview');
  await page.goto(`${interview.urls[0]}?lang=ar`);
  await page.locator('html[data-ready]').waitFor();
  await take('9-arabic');
  await page.goto(`${interview.urls[0]}x`);
  await take('10-unknown-link');
}

async function held(bench: Bench, page: Page, take: (name: string) => Promise<void>): Promise<void> {
  await page.goto((await bench.project(FIELDS)).urls[0]!);
  await page.getByLabel('I accept the terms').check();
  await button(page, 'Turn on the camera').click();
  await button(page, 'Start recording').click();
  await button(page, 'Record anyway').waitFor();
  await take('11-held-back');
}

const PARTS = [
  [walk, 'speech'],
  [others, 'speech'],
  [held, 'silence'],
] as const;

async function main(): Promise<void> {
  const log = (line: string) => process.stdout.write(`${line}\n`);
  await ensure(['ffmpeg', 'flite', 'chromium'], log);
  await using stack = new AsyncDisposableStack();
  if (!process.env.MONGO_URL) {
    const dataDir = await mkdtemp(join(tmpdir(), 'screenshots-'));
    stack.defer(() => rm(dataDir, { recursive: true, force: true }));
    const servers = stack.use(await startServers({ dataDir, log }));
    Object.assign(process.env, servers.env);
  }
  const bench = stack.use(await openBench());
  await shoot(bench, log);
}

/** Every screen on every device in every scheme. */
export async function shoot(bench: Bench, log: (line: string) => void): Promise<void> {
  await mkdir(OUT, { recursive: true });
  for (const { name, ...device } of DEVICES) {
    for (const colorScheme of SCHEMES) {
      for (const [part, scene] of PARTS) {
        const page = await bench.page({ ...device, colorScheme, scene });
        await part(bench, page, async step => {
          await page.screenshot({ path: join(OUT, `recorder-${step}-${name}-${colorScheme}.png`) });
        });
        await page.context().close();
      }
      log(`${name}, ${colorScheme}: done`);
    }
  }
}

if (import.meta.main) await main();
