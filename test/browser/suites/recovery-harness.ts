import { after, before } from 'node:test';
import { startTestBrowser, type TestBrowser } from '../test-browser.ts';

/** The services and browsers that the suites of recovery.test.ts share; set before their tests run. */
export let harness: TestBrowser;
async function start(): Promise<void> {
  harness = await startTestBrowser();
}

let starting: Promise<void> | undefined;
/**
 * Waits for the services and browsers. The `before` of every suite calls this, because all suites start at the same
 * time.
 */
export const started = (): Promise<void> => (starting ??= start());
before(started);
after(() => harness?.[Symbol.asyncDispose]());
