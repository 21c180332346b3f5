import { after, before } from 'node:test';
import { startTestBrowser, type TestBrowser } from '../test-browser.ts';

/** The services and browsers that the suites of recovery.test.ts share; set before their tests run. */
export let harness: TestBrowser;
async function start(): Promise<void> {
  harness = await startTestBrowser();
}

let starting: Promise<void> | undefined;
/** Waits for the services and browsers. The `before` of every suite starts with this, because all of them run at once. */
export const started = (): Promise<void> => (starting ??= start());
before(started);
after(() => harness?.[Symbol.asyncDispose]());
