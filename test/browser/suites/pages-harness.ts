import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { startTestBrowser, type TestBrowser } from '../test-browser.ts';

const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><circle cx="15" cy="15" r="15"/></svg>';

/** The services and browsers that the suites of pages.test.ts share; set before their tests run. */
export let harness: TestBrowser;
let folder: string;
async function start(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'pages-'));
  await writeFile(join(folder, 'logo.svg'), LOGO);
  harness = await startTestBrowser({
    // A suite searches these logs for link tokens.
    LOG_LEVEL: 'info',
    // A lighter accent than the default must pass the checks too.
    BRAND_ACCENT: '#d84315',
    BRAND_NAME: 'Bits & Pieces',
    BRAND_LOGO_FILE: join(folder, 'logo.svg'),
  });
}
before(start);
after(async () => {
  await harness?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});
