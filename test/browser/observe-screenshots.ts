import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensure } from '@recording-request/stack/install/ensure';
import { chromium, type Page } from 'playwright-core';
import { makeSmall } from './small-picture.ts';

// Makes docs/screenshots/observe-*.png from a running `npm run observe` that has clips and some minutes of metrics.
// Command: npm run screenshots -- observe [its address]

const OUT = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
const ADDRESS = 'http://127.0.0.1:8090';
const VIEWPORT = { width: 1280, height: 800 };
const LIMIT_MS = 60_000;

/** Takes pictures of the first page, of each dashboard and of a clip's trace; the first two also in dark colours. */
export async function observeScreenshots(log: (line: string) => void, address: string = ADDRESS): Promise<void> {
  await ensure(['ffmpeg', 'chromium'], log);
  await mkdir(OUT, { recursive: true });
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ viewport: VIEWPORT, colorScheme });
      context.setDefaultTimeout(LIMIT_MS);
      const page = await context.newPage();
      await page.goto(address);
      const dashboards = await page
        .locator('.cards a')
        .evaluateAll(links => links.map(link => link.getAttribute('href')!));
      await take(page, `1-start-${colorScheme}`);
      const shown = colorScheme === 'light' ? dashboards : dashboards.slice(0, 1);
      for (const path of shown) {
        await page.goto(new URL(path, address).href);
        await take(page, `2-${path.split('/').at(-1)}-${colorScheme}`);
      }
      if (colorScheme === 'light') await takeTrace(page, address);
      await context.close();
      log(`observe, ${colorScheme}: done`);
    }
  } finally {
    await browser.close();
  }
}

/** Opens a trace like a new user, with one click from the page. */
async function takeTrace(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('link', { name: 'Trace of' }).first().click();
  await page.getByText('Total Spans').waitFor();
  await take(page, '3-trace-light', false);
}

async function take(page: Page, name: string, fullPage = true): Promise<void> {
  const path = join(OUT, `observe-${name}.png`);
  await page.screenshot({ path, fullPage });
  await makeSmall(path);
}
