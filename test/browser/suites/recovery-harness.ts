import { after, before } from 'node:test';
import { startTestBrowser, type TestBrowser } from '../test-browser.ts';

/** The services and browsers that the suites of recovery.test.ts share; there once their tests run. */
export let harness: TestBrowser;
async function start(): Promise<void> {
  harness = await startTestBrowser();
}

let starting: Promise<void> | undefined;
/** Resolves when they are there. The first thing in a suite's own `before`, as all of them run at once. */
export const started = (): Promise<void> => (starting ??= start());
before(started);
after(() => harness?.[Symbol.asyncDispose]());
