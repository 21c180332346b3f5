import type { Log } from '@recording-request/stack/log';
import { type BrowserContext, chromium } from 'playwright-core';

const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium';
const LIMIT_MS = 30_000;
const VIEWPORT = { width: 390, height: 760 };
/** The network of a phone on a slow line: latency in milliseconds, throughput in bytes a second. */
const LINE = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 1.6e6 / 8 };
const CPU_SLOWED = 4;

/** The wait and the traffic of a first visit to a page. Times are in milliseconds since the navigation. */
export interface PageLoad {
  /** Until the first text or picture. */
  painted: number;
  /** Until the page's script is ready. */
  ready: number;
  /** Number of requests, without pictures. */
  requests: number;
  /** Size of the compressed bodies, without pictures. */
  bytes: number;
}

/** A Chromium that is slowed down to the speed of a phone on a slow line. */
export interface SlowPhone extends AsyncDisposable {
  /** Opens a page without a cache or an open connection. Rejects if its script is not ready within half a minute. */
  open(url: string): Promise<PageLoad>;
}

export async function startSlowPhone(log: Log): Promise<SlowPhone> {
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox'], timeout: LIMIT_MS });
  log(`Chromium ${browser.version()}`);
  return {
    async open(url) {
      const context = await browser.newContext({ locale: 'en-GB', viewport: VIEWPORT });
      try {
        return await load(context, url);
      } finally {
        await context.close();
      }
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

async function load(context: BrowserContext, url: string): Promise<PageLoad> {
  context.setDefaultTimeout(LIMIT_MS);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', LINE);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWED });
  await page.addInitScript(() => {
    const observer = new MutationObserver(() => {
      if (document.documentElement.dataset.ready === undefined) return;
      performance.mark('ready');
      observer.disconnect();
    });
    observer.observe(document, { subtree: true, attributeFilter: ['data-ready'] });
  });
  await page.goto(url);
  await page.waitForFunction(() =>
    ['first-contentful-paint', 'ready'].every(name => performance.getEntriesByName(name).length > 0),
  );
  return await page.evaluate(() => {
    const startOf = (name: string) => performance.getEntriesByName(name)[0]!.startTime;
    const received = ['navigation', 'resource'].flatMap(
      type => performance.getEntriesByType(type) as PerformanceResourceTiming[],
    );
    const texts = received.filter(({ initiatorType }) => !['img', 'video'].includes(initiatorType));
    return {
      painted: startOf('first-contentful-paint'),
      ready: startOf('ready'),
      requests: texts.length,
      bytes: texts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    };
  });
}
