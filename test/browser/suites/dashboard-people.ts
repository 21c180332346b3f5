import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { until } from '@recording-request/testing/wait';
import type { Page } from 'playwright-core';
import { checkAccessibility } from '../accessibility.ts';
import { button } from '../actions.ts';
import { deliver } from '../dashboard-seed.ts';
import type { Project } from '../test-browser.ts';
import { giveToken, harness, openPage, started, WEATHER } from './dashboard-harness.ts';

const PHONE = { width: 360, height: 740 };
/** The number of row elements that may exist at once. */
const ROWS_MAX = 60;
const MANY = 10_000;
/** A frame that takes longer is one that a reader can see. */
const FRAME_MS = 50;

let writer: string;

before(async () => {
  await started();
  writer = await harness.tokenWith(['projects:write']);
});

const rows = (page: Page) => page.locator('.people-row');
const status = (page: Page, text: string | RegExp) => page.locator('#people-status').filter({ hasText: text });
const figure = (page: Page, name: string) =>
  page.locator('.people-figures button').filter({ has: page.getByText(name, { exact: true }) });
const result = (page: Page, text: string) => page.locator('#people-result').getByText(text);
const selection = (page: Page, text: string) => page.locator('#people-bar').getByText(text);
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

/** Opens the table with the token. */
async function openPeople(project: Project, options: Parameters<typeof openPage>[2] = {}): Promise<Page> {
  const page = await openPage(harness, project.dashboardUrl, options);
  await page.getByRole('link', { name: 'People', exact: true }).click();
  await button(page, 'Enter API token').click();
  await giveToken(page, writer);
  await rows(page).first().waitFor();
  return page;
}

/** Fails if axe reports a violation or the page is too wide. */
async function fits(page: Page, what: string): Promise<void> {
  await checkAccessibility(page, what);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${what} is ${wide} px too wide`);
}

const names = (page: Page) => page.locator('.people-person b').allTextContents();

/** Thirty people; `meta.team` has a line break, so that a line is not a row. Two rows more have errors. */
function fileOfThirty(): string {
  const people = Array.from({ length: 30 }, (_, index) => {
    const number = String(index + 1).padStart(2, '0');
    const team = index === 3 ? '"North\nand South"' : 'North';
    return `Zoë Sample ${number};S-${number};zoe${number}@example.org;2026-12-24T17:00:00Z;${team}`;
  });
  people.splice(10, 0, 'Faulty Mailbox;F-1;not-an-address;;North');
  people.splice(20, 0, 'Faulty Date;F-2;date@example.org;soon;North');
  return `name;reference;email;dueAt;meta.team\n${people.join('\n')}\n`;
}

const choose = (page: Page, name: string, text: string) =>
  page.getByLabel('CSV file', { exact: true }).setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

test('thirty people come from a CSV file with two faulty rows; they are found, reminded, closed and copied', async () => {
  const project = await harness.project({ projectName: 'Thirty', count: 1 });
  const page = await openPeople(project, { viewport: { width: 1280, height: 900 } });
  const urls: string[] = [];
  page.on('request', request => urls.push(request.url()));
  assert.deepEqual(await names(page), ['Person 1']);

  await button(page, 'Add people from a CSV file').click();
  await choose(page, 'empty.csv', 'nothing known\nZoë');
  await page.getByRole('alert').filter({ hasText: 'The file has no header' }).waitFor();
  await choose(page, 'people.csv', fileOfThirty());
  await page.locator('#people-import').getByText('2 rows have errors.').waitFor();
  const errors = page.locator('.people-errors tbody tr');
  // The row with a line break takes two lines, so each later row is one line further down.
  assert.deepEqual(
    await errors.evaluateAll(found => found.map(row => [...row.children].map(cell => cell.textContent))),
    [
      [
        '13',
        'email',
        'must be an email address of at most 320 characters, such as ana@example.org',
        'Faulty Mailbox;F-1;not-an-address;;North',
      ],
      [
        '23',
        'dueAt',
        await errors.nth(1).locator('td').nth(2).textContent(),
        'Faulty Date;F-2;date@example.org;soon;North',
      ],
    ],
  );
  await fits(page, 'import');
  assert.equal((await harness.links(project)).length, 1, 'the check creates nothing');
  await button(page, 'Add the other 30 people').click();
  await status(page, '31 people').waitFor();
  await page.locator('#people-import').waitFor({ state: 'hidden' });
  const links = await harness.links(project);
  assert.equal(links.length, 31);
  assert.deepEqual((links[4] as { metadata: object }).metadata, { team: 'North\nand South' });

  await page.getByLabel('Search people').fill('zoe NORTH 07');
  await status(page, '1 person').waitFor();
  assert.deepEqual(await names(page), ['Zoë Sample 07']);
  await page.getByLabel('Search people').fill('');
  await status(page, '31 people').waitFor();
  await button(page, 'Person').click();
  await button(page, 'Person').click();
  assert.deepEqual((await names(page)).slice(0, 2), ['Zoë Sample 30', 'Zoë Sample 29']);
  await page.locator('[aria-sort="descending"]', { hasText: 'Person' }).waitFor();
  await button(page, 'Person').click();

  await fetch(`${links[1]!.recipientUrl}/opened`, { method: 'POST' });
  await deliver(String(links[2]!.recipientUrl), WEATHER);
  await button(page, 'Refresh').click();
  await figure(page, 'Sent').filter({ hasText: '1' }).click();
  await status(page, '1 person').waitFor();
  assert.deepEqual(await names(page), ['Zoë Sample 02']);
  await figure(page, 'Opened').filter({ hasText: '1' }).click();
  assert.deepEqual(await names(page), ['Zoë Sample 01']);
  await figure(page, 'All').click();

  // By keyboard: three rows after each other are selected.
  await rows(page).nth(0).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await selection(page, '3 selected').waitFor();
  assert.equal(await page.locator('.people-row[aria-selected="true"]').count(), 3);
  await fits(page, 'selection');
  await button(page, 'Copy links').click();
  await result(page, '3 links copied.').waitFor();
  assert.deepEqual(
    (await clipboard(page)).split('\n'),
    links.slice(1, 4).map(({ recipientUrl }) => recipientUrl),
  );
  const [saved] = await Promise.all([page.waitForEvent('download'), button(page, 'Download as CSV').click()]);
  const table = await readFile(await saved.path(), 'utf8');
  assert.equal(saved.suggestedFilename(), 'people.csv');
  assert.deepEqual(
    table
      .trimEnd()
      .split('\r\n')
      .map(line => line.split(',')[0]),
    ['\ufeffname', '"Zoë Sample 01"', '"Zoë Sample 02"', '"Zoë Sample 03"'],
  );

  // The second person has sent a clip, so the reminder reaches two; the third stays selected.
  await button(page, 'Remind').click();
  await selection(page, 'Send reminders for 3 people?').waitFor();
  await page.keyboard.press('Enter');
  await result(page, '2 people reminded.').waitFor();
  await result(page, 'The others stay selected.').waitFor();
  await selection(page, '1 selected').waitFor();
  await page.waitForFunction(
    () =>
      [...document.querySelectorAll('.people-row .people-reminders')].filter(cell => cell.textContent === '1')
        .length === 2,
  );
  assert.equal(await rows(page).nth(1).locator('.people-reminders').textContent(), '1');
  await button(page, 'Clear').click();

  await rows(page).nth(4).getByRole('checkbox').click();
  await rows(page)
    .nth(6)
    .getByRole('checkbox')
    .click({ modifiers: ['Shift'] });
  await button(page, 'Close').click();
  await result(page, '3 links closed.').waitFor();
  await figure(page, 'Closed').filter({ hasText: '3' }).click();
  await status(page, '3 people').waitFor();
  await page.getByLabel('Select all shown people').click();
  await button(page, 'Open').click();
  await result(page, '3 links opened.').waitFor();
  await page.getByText('Nobody matches.').waitFor();
  await button(page, 'Show all people').click();
  await status(page, '31 people').waitFor();

  // Personal data stays in the tab.
  const kept = await page.evaluate(() => [
    ...Object.values(sessionStorage),
    ...Object.values(localStorage),
    location.href,
  ]);
  for (const text of [...urls, ...kept]) assert.doesNotMatch(decodeURIComponent(text), /Sample|example\.org|S-\d\d/);
  assert.doesNotMatch(await harness.system.logs(), /Sample \d\d|zoe\d\d@|not-an-address/);

  // Without the token, nobody is shown.
  await button(page, 'Forget token').click();
  await button(page, 'Enter API token').waitFor();
  assert.equal(await rows(page).count(), 0);
  await page.context().close();
});

test('on a phone the people are cards, in dark colours and in Arabic from right to left; axe finds nothing', async () => {
  const project = await harness.project({ projectName: 'Cards', count: 3 });
  const page = await openPage(harness, project.dashboardUrl, { viewport: PHONE, colorScheme: 'dark', locale: 'ar-EG' });
  await page.evaluate(() => Object.assign(document.documentElement, { lang: 'ar', dir: 'rtl' }));
  await page.locator('a[href="#people"]').click();
  await fits(page, 'without a token');
  await button(page, 'أدخل رمز API').click();
  await page.locator('#token').fill(writer);
  await page.locator('#use-token').click();
  await status(page, '3 أشخاص').waitFor();
  await rows(page).first().getByRole('checkbox').click();
  await selection(page, 'المحدد: 1').waitFor();
  await fits(page, 'cards');
  const [first, second] = await rows(page).evaluateAll(found => found.map(row => row.getBoundingClientRect().top));
  const { height } = (await rows(page).first().boundingBox())!;
  assert.equal(Math.round(second! - first!), Math.round(height), 'cards do not overlap');
  await page.context().close();
});

test('the people’s part of the script may be missing; the page says so and loads it later', async () => {
  const project = await harness.project({ projectName: 'Missing', count: 1 });
  const page = await openPage(harness, project.dashboardUrl);
  const chunk = /\/assets\/dashboard-people-[\w-]+\.js$/;
  const scripts: string[] = [];
  page.on('request', request => chunk.test(request.url()) && scripts.push(request.url()));
  await page.route(chunk, route => route.abort());
  await page.getByRole('link', { name: 'People', exact: true }).click();
  await page.getByText('This part of the page did not load.').waitFor();
  await page.unroute(chunk);
  await button(page, 'Try again').click();
  await button(page, 'Enter API token').waitFor();
  assert.equal(scripts.length, 2, 'only the opened section loads it');
  await page.context().close();
});

/** Adds people through the API's import. */
async function importPeople(project: Project, count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, index) => `Person ${index + 1} of many,R-${index + 1}`);
  const answer = await fetch(`${harness.system.baseUrl}/api/projects/${project.projectId}/links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${writer}`, 'content-type': 'text/csv' },
    body: `name,reference\n${lines.join('\n')}\n`,
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text.slice(0, 200));
}

test('ten thousand people scroll without a long frame and with few elements, and their end is one key away', async t => {
  const project = await harness.project({ projectName: 'Many people', count: 1 });
  await importPeople(project, MANY);
  const total = `${(MANY + 1).toLocaleString('en')} people`;
  const page = await openPeople(project, { viewport: { width: 1440, height: 1000 } });
  await status(page, total).waitFor();
  const grid = page.getByRole('grid');
  assert.equal(await grid.getAttribute('aria-rowcount'), String(MANY + 2));

  // The time of the page's own thread, because other programs share the machine.
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' }).catch(() => {});
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busyMs = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
  const frames: number[] = [];
  let most = 0;
  const seen = new Set<string>();
  for (let step = 0; step < 80; step++) {
    const begun = await busyMs();
    const [count, first] = await grid.evaluate(
      (element, by) =>
        new Promise<[number, string]>(resolve => {
          element.scrollTop += by;
          requestAnimationFrame(() =>
            requestAnimationFrame(() => {
              const found = document.querySelectorAll<HTMLElement>('.people-row');
              resolve([found.length, found[0]?.dataset.index ?? '']);
            }),
          );
        }),
      step % 8 === 7 ? 60_000 : 700,
    );
    frames.push((await busyMs()) - begun);
    most = Math.max(most, count);
    seen.add(first);
  }
  const sorted = frames.toSorted((a, b) => a - b);
  t.diagnostic(`two frames took ${sorted[40]?.toFixed(1)} ms (median), ${sorted.at(-1)?.toFixed(1)} ms (longest)`);
  assert.ok(sorted[0]! > 0, 'the time is measured');
  assert.ok(sorted.at(-1)! < FRAME_MS, `a frame took ${sorted.at(-1)} ms`);
  assert.ok(seen.size > 60, 'the table scrolled');
  assert.ok(most > 10 && most < ROWS_MAX, `${most} rows exist at once`);

  // The row with the focus stays reachable, and keys lead to both ends.
  await rows(page).first().focus();
  await page.keyboard.press('End');
  const focusedRow = () => page.evaluate(() => document.activeElement?.getAttribute('aria-rowindex'));
  assert.equal(await focusedRow(), String(MANY + 2));
  await rows(page)
    .filter({ hasText: `Person ${MANY} of many` })
    .waitFor();
  await page.keyboard.press('PageUp');
  await grid.evaluate(element => {
    element.scrollTop = 0;
  });
  await rows(page).filter({ hasText: 'Person 2 of many' }).waitFor();
  assert.ok(Number(await focusedRow()) > MANY - 60, 'scrolling away does not lose the focus');
  await page.keyboard.press('Home');
  assert.equal(await focusedRow(), '2');
  assert.ok((await rows(page).count()) < ROWS_MAX);

  await page.getByLabel('Search people').fill('r-9876');
  await status(page, '1 person').waitFor();
  assert.deepEqual(await names(page), ['Person 9876 of many']);
  await page.getByLabel('Search people').fill('');
  await status(page, total).waitFor();

  // An action on everybody takes 21 requests. It shows its progress, and stops when asked.
  await page.getByLabel('Select all shown people').click();
  await selection(page, '10,001 selected').waitFor();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let requests = 0;
  await page.route(/\/link-actions$/, async route => {
    requests += 1;
    if (requests > 1) await held;
    await route.continue().catch(() => {});
  });
  await button(page, 'Close').click();
  await page.locator('#people-status').getByText('500 of 10,001 people').waitFor();
  await button(page, 'Cancel').click();
  await result(page, 'Stopped after 500 of 10,001 people.').waitFor();
  release();
  await selection(page, '9,501 selected').waitFor();
  await until(
    'the closed ones are shown',
    async () => /^500/.test((await figure(page, 'Closed').textContent()) ?? ''),
    {
      limitMs: 60_000,
    },
  );
  assert.equal(requests, 2);
  await page.context().close();
});
