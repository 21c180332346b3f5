import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { waitFor } from '@recording-request/stack/wait';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { button, heading } from './actions.ts';
import { type Bench, landed, openBench, type Project, type Submission } from './bench.ts';
import { beginResponse, copyClip, deliver, finished, tokenWith } from './dashboard-scene.ts';
import { HOSTILE } from './xss.ts';

const SCRIPT_BUDGET_BYTES = 40 * 1024;
const WEATHER = 'the weather is good today and we want to go to the house';
const PEOPLE = 'we have been here for many years and we like the people';

let bench: Bench;
/** Two clips, the older one about the weather and the newer about people, with a note. */
let full: Project;
/** Two questions: one contributor answered both, a second the first. */
let interview: Project;
let weather: Submission;
let people: Submission;
/** A token that may write. */
let writer: string;

before(async () => {
  bench = await openBench({ BRAND_ACCENT: '#d84315', BRAND_NAME: 'Bits & Pieces' });
  const shared = { sharedLinkEnabled: true, sharedLinkMaxUses: 9, transcriptionEnabled: true, noteEnabled: true };
  [full, interview] = await Promise.all([
    bench.project({ projectName: 'Customers', count: 3, ...shared }),
    bench.project({ projectName: 'Working here', count: 2, interviewQuestions: ['What made you join?', 'And now?'] }),
  ]);
  await deliver(full.urls[0]!, WEATHER);
  await deliver(full.sharedUrl, PEOPLE, { note: 'Call me (before 5 pm).' });
  for (const [person, count] of [2, 1].entries()) {
    const session = await beginResponse(interview.urls[person]!);
    for (let questionIndex = 0; questionIndex < count; questionIndex++)
      await deliver(interview.urls[person]!, PEOPLE, { session, questionIndex });
  }
  writer = await tokenWith(bench, ['projects:write']);
  [people, weather] = (await finished(bench, full, 2)) as [Submission, Submission];
  await finished(bench, interview, 3);
});
after(() => bench?.[Symbol.asyncDispose]());

async function open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await bench.context({ permissions: ['clipboard-read', 'clipboard-write'], ...options });
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('html[data-ready]').waitFor();
  return page;
}

const cards = (page: Page) => page.locator('.clip:not(.skeleton)');
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const viewer = (page: Page) => page.locator('#viewer');

/** Whether a part of the browser's own player is laid out: it lies where selectors do not lead. */
async function playerShows(page: Page, part: string): Promise<boolean> {
  const session = await page.context().newCDPSession(page);
  await session.send('DOM.getDocument');
  const found = await session.send('DOM.performSearch', { query: part, includeUserAgentShadowDOM: true });
  const { nodeIds } = await session.send('DOM.getSearchResults', {
    searchId: found.searchId,
    fromIndex: 0,
    toIndex: found.resultCount,
  });
  const boxes = nodeIds.map(nodeId =>
    session.send('DOM.getBoxModel', { nodeId }).then(
      () => true,
      () => false,
    ),
  );
  return (await Promise.all(boxes)).includes(true);
}

test('what came in at a glance, a grid with pictures, and a clip that plays with captions and a transcript that jumps', async () => {
  const page = await open(full.dashboardUrl);
  await heading(page, 'Customers').waitFor();
  assert.match((await page.locator('#figures').textContent()) ?? '', /Clips2.*Responses2of 12, 10 left.*Transcripts2/s);
  assert.equal(await cards(page).count(), 2);
  await page.waitForFunction(() =>
    [...document.querySelectorAll<HTMLImageElement>('.clip img')].every(
      ({ complete, naturalWidth }) => complete && naturalWidth > 0,
    ),
  );
  await page.getByRole('link', { name: 'Watch Clip' }).last().click();
  assert.equal(new URL(page.url()).hash, `#clip-${weather.submissionId}`);
  const cue = viewer(page).locator('.cue', { hasText: 'today' }).first();
  await cue.click();
  // It plays from where the words are said, shows them over the picture, and marks them in the transcript.
  await page.waitForFunction(() => {
    const video = document.querySelector('video');
    const [track] = video?.textTracks ?? [];
    return video && !video.paused && video.currentTime > 0 && track?.mode === 'showing' && track.activeCues?.length;
  });
  const spoken = await page.evaluate(() => {
    const cue = document.querySelector('video')?.textTracks[0]?.activeCues?.[0] as VTTCue | undefined;
    return cue?.text ?? 'no cue';
  });
  assert.equal(
    await viewer(page)
      .locator('.cue[aria-current]')
      .textContent()
      .then(text => text?.includes(spoken)),
    true,
  );
  assert.match(await viewer(page).locator('.transcript').textContent().then(String), /good/);
  // One length, to the nearest second: on the card, over the player, and none that the player makes out by a rule of its own.
  const length = `0:${String(weather.durationSec).padStart(2, '0')}`;
  assert.equal(await cards(page).last().locator('.length').textContent(), length);
  assert.equal((await page.locator('#viewer-when').textContent())?.split(' · ')[1], length);
  assert.equal(await playerShows(page, 'current-time-display'), true);
  assert.equal(await playerShows(page, 'time-remaining-display'), false, 'the player does not tell a second length');
  const heardAt = await page.evaluate(() => document.querySelector('video')?.textTracks[0]?.cues?.[0]?.startTime ?? -1);
  assert.ok(heardAt >= 0 && heardAt < 4);
  await page.goBack();
  await viewer(page).waitFor({ state: 'hidden' });
  assert.equal(new URL(page.url()).hash, '');
  // The address of a clip opens it.
  const straight = await open(`${full.dashboardUrl}#clip-${people.submissionId}`);
  await viewer(straight).getByText('Call me (before 5 pm).').waitFor();
  await straight.goto(`${full.dashboardUrl}#clip-01900000-0000-7000-8000-000000000000`);
  await straight.reload();
  await heading(straight, 'This clip is not here').waitFor();
  await Promise.all([page, straight].map(each => each.context().close()));
});

test('search finds words in what was said, noted and asked, of this project alone, and nothing in it is a pattern', async () => {
  const found = async (q: string, project = full): Promise<string[]> => {
    const answer = await fetch(`${project.dashboardUrl}/submissions?${new URLSearchParams({ q })}`);
    assert.equal(answer.status, 200, q);
    return ((await answer.json()) as { submissions: Submission[] }).submissions.map(({ submissionId }) => submissionId);
  };
  assert.deepEqual(await found('GOOD toda'), [weather.submissionId], 'parts of words, in any case');
  assert.deepEqual(
    await found('(before 5'),
    [people.submissionId],
    'the note, with what a pattern would take for its own',
  );
  assert.deepEqual(await found('good many'), [], 'all words');
  for (const pattern of ['.*', '^', '[a-z]+', '\\', '$where', 'goo.', '\u0000good.'])
    assert.deepEqual(await found(pattern), [], pattern);
  assert.equal((await found('join', interview)).length, 2, 'the question');
  assert.deepEqual(await found('join'), [], 'not of another project');
  const ofOwner = await bench.api('GET', `/api/projects/${full.projectId}/submissions?q=nothinghasit`);
  assert.equal((ofOwner.submissions as unknown[]).length, 2, 'the contract’s own list ignores it');
  const long = await fetch(`${full.dashboardUrl}/submissions?q=${'x'.repeat(201)}`);
  assert.equal(long.status, 400);

  const page = await open(full.dashboardUrl);
  await page.keyboard.press('/');
  await page.keyboard.type('good');
  await page.keyboard.press('Enter');
  await page.locator('mark', { hasText: 'good' }).first().waitFor();
  assert.equal(await cards(page).count(), 1);
  assert.match(page.url(), /\?q=good/);
  await cards(page).getByRole('link').click();
  await viewer(page).locator('.cue mark', { hasText: 'good' }).first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox').fill('nothinghasit');
  await button(page, 'Search').click();
  await page.getByText('No clip fits.').waitFor();
  await page.getByRole('link', { name: 'Show all clips' }).click();
  await cards(page).nth(1).waitFor();
  // Filters, and a list that is narrowed from its first paint.
  await page.getByLabel('Transcript', { exact: true }).selectOption('failed');
  await page.getByText('No clip fits.').waitFor();
  await page.goto(`${full.dashboardUrl}?transcriptStatus=completed&q=years`);
  await page.locator('mark', { hasText: 'years' }).first().waitFor();
  assert.equal(await cards(page).count(), 1);
  await page.context().close();
});

test('answers stand together by contributor, in the order of the questions', async () => {
  const page = await open(interview.dashboardUrl);
  const persons = page.locator('.person');
  assert.equal(await persons.count(), 2);
  assert.match(String(await persons.nth(0).locator('h3').textContent()), /1 of 2 answers/);
  assert.match(String(await persons.nth(1).locator('h3').textContent()), /all 2 answers/);
  assert.deepEqual(await persons.nth(1).locator('.question').allTextContents(), [
    '1. What made you join?',
    '2. And now?',
  ]);
  await persons.nth(1).getByRole('link').first().click();
  await heading(page, '1. What made you join?').waitFor();
  await viewer(page).getByRole('link', { name: 'Question 2. And now?' }).click();
  await heading(page, '2. And now?').waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel('By contributor').uncheck();
  assert.equal(await persons.count(), 0);
  assert.equal(await cards(page).count(), 3);
  await page.context().close();
});

test('links: states in words, copies, a QR code that leads to the recorder, and pages of a long list', async () => {
  const many = await bench.project({ projectName: 'Many', count: 230 });
  const page = await open(`${many.dashboardUrl}#links`);
  assert.equal(await page.locator('#link-rows tr').count(), 100);
  await button(page, 'Show more links').click();
  await page.locator('#link-rows tr').nth(199).waitFor();
  await button(page, 'Copy all of these').click();
  await page.getByRole('button', { name: '230 links copied' }).waitFor();
  assert.deepEqual((await clipboard(page)).split('\n'), many.urls);
  await page.context().close();

  const other = await open(full.dashboardUrl);
  await other.getByRole('link', { name: 'Links', exact: true }).click();
  await other.locator('.shared').getByText('Open: 8 of 9 uses left').waitFor();
  const copyShared = button(other, 'Copy the link for everybody');
  await copyShared.click();
  await button(other, 'Copied').waitFor();
  assert.equal(await clipboard(other), full.sharedUrl);
  await copyShared.waitFor();
  // Each row's button says which link it copies.
  await button(other, `Copy personal link ${full.urls[1]!.replace('http://', '')}`).click();
  await button(other, 'Copied').waitFor();
  assert.equal(await clipboard(other), full.urls[1]);
  const states = other.locator('#link-rows .state');
  assert.deepEqual(await states.allTextContents(), ['Clip received', 'Not opened yet', 'Not opened yet']);
  await fetch(`${full.urls[1]}/opened`, { method: 'POST' });
  await other.reload();
  await states.nth(1).filter({ hasText: 'Opened, nothing sent yet' }).waitFor();
  await other.getByLabel('State of the links').selectOption('exhausted');
  await other.locator('#link-rows tr').nth(1).waitFor({ state: 'detached' });
  assert.deepEqual(await states.allTextContents(), ['Clip received']);
  const [saved] = await Promise.all([
    other.waitForEvent('download'),
    other.getByRole('link', { name: 'Save the QR code' }).click(),
  ]);
  const read = spawnSync('zbarimg', ['-q', '--raw', await saved.path()], { encoding: 'utf8' });
  assert.equal(read.stdout.trim(), full.sharedUrl);
  await other.context().close();
});

test('a clip that lands shows by itself, and so does its transcript; further down it waits to be asked for', async () => {
  const project = await bench.project({ projectName: 'Live', count: 2, transcriptionEnabled: true });
  const page = await open(project.dashboardUrl);
  const asked: number[] = [];
  page.on('response', answer => answer.url().endsWith('/overview') && asked.push(answer.status()));
  await page.getByText('Nothing has come in yet.').waitFor();
  await deliver(project.urls[0]!, WEATHER);
  await cards(page).first().waitFor();
  await cards(page).locator('.quote', { hasText: 'good' }).waitFor();
  await cards(page).locator('img').waitFor();
  assert.match(String(await page.locator('#figures').textContent()), /Clips1.*Transcripts1/s);
  // While nothing happens the server says so, without a body.
  await waitFor('an answer without news', async () => (asked.includes(304) ? true : undefined), { timeoutMs: 20_000 });
  const [clip] = (await landed(bench, project)) as [Submission];
  await copyClip(bench, clip.submissionId, 30);
  await page.reload();
  await cards(page).nth(20).waitFor();
  await cards(page).nth(20).scrollIntoViewIfNeeded();
  await cards(page).nth(30).waitFor();
  const before = await page.evaluate(() => scrollY);
  await deliver(project.urls[1]!, WEATHER);
  await button(page, 'Show 1 new clip').waitFor();
  assert.equal(await page.evaluate(() => scrollY), before, 'nothing jumps');
  await button(page, 'Show 1 new clip').click();
  await cards(page).nth(31).waitFor();
  await page.context().close();
});

test('a long list comes in pages, and the page never holds more than ten of them', async () => {
  const project = await bench.project({ projectName: 'Long', count: 1 });
  await copyClip(bench, people.submissionId, 300, index => ({
    projectId: project.projectId,
    note: `number ${index + 1}`,
  }));
  const page = await open(project.dashboardUrl);
  assert.equal(await cards(page).count(), 24);
  await page.waitForFunction(() => {
    scrollTo(0, document.body.scrollHeight);
    return document.querySelectorAll('.clip:not(.skeleton)').length === 240;
  });
  await page.getByRole('link', { name: 'Show older clips' }).click();
  await page.locator('.clip', { hasText: 'number 241' }).waitFor();
  assert.ok((await cards(page).count()) <= 48, 'what was shown before is gone');
  await page.waitForFunction(() => {
    scrollTo(0, document.body.scrollHeight);
    return document.body.textContent?.includes('number 300');
  });
  await page.getByRole('link', { name: 'Back to the newest' }).click();
  await page.locator('.clip', { hasText: 'number 2' }).first().waitFor();
  await page.context().close();
});

test('review: a token that may write selects and notes; any other is told what it lacks', async () => {
  const reads = await tokenWith(bench, ['submissions:read']);
  const page = await open(full.dashboardUrl);
  assert.equal(await page.locator('[data-select]').count(), 0, 'the address alone only reads');
  const give = (token: string) => giveToken(page, token);
  // A review begins at the top of the page, or with the clip that is open.
  await cards(page).first().getByRole('link').click();
  await button(page, 'Review this clip').click();
  await page.getByLabel('API token').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('#review-this:focus').waitFor();
  await page.keyboard.press('Enter');
  await give(writer);
  await viewer(page).locator('[data-select]:focus', { hasText: 'Select this clip' }).waitFor();
  await page.getByLabel('Review note').waitFor();
  assert.equal(await button(page, 'Review this clip').count(), 0, 'it has begun');
  await page.keyboard.press('Escape');
  await button(page, 'Forget token').click();
  await button(page, 'Review clips').click();
  await give('api_short');
  await page.getByText('A token begins with api_').waitFor();
  await give(reads);
  await page.getByText('it lacks the scope projects:write').waitFor();
  await give(`${writer.slice(0, -1)}${writer.endsWith('0') ? '1' : '0'}`);
  await page.getByText('This token is not valid').waitFor();
  await give(writer);
  await button(page, 'Forget token').waitFor();
  assert.deepEqual(
    await page.evaluate(() => [Object.values(sessionStorage).length, localStorage.length, document.cookie]),
    [1, 0, ''],
  );

  const first = cards(page).first();
  await first.getByRole('button', { name: 'Select' }).click();
  await first.getByRole('button', { name: 'Selected', pressed: true }).waitFor();
  const stored = async () =>
    (await bench.submissions(full))[0] as Submission & { selected: boolean; reviewNote: string | null };
  assert.equal((await stored()).selected, true);
  await page.locator('#figures', { hasText: '1 selected' }).waitFor();
  await first.getByRole('link').click();
  await page.getByLabel('Review note').fill('For the front page');
  await page.getByText('Not saved yet.').waitFor();
  await page.context().setOffline(true);
  await button(page, 'Save note').click();
  await page.getByText('Not saved. You are offline.').waitFor();
  await page.context().setOffline(false);
  await button(page, 'Save note').click();
  await viewer(page).getByText('Saved.', { exact: true }).waitFor();
  assert.equal((await stored()).reviewNote, 'For the front page');
  await viewer(page).getByRole('button', { name: 'Selected', exact: false, pressed: true }).click();
  await viewer(page).getByRole('button', { name: 'Select this clip' }).waitFor();
  assert.equal((await stored()).selected, false);
  // Leaving saves what was written.
  await page.getByLabel('Review note').fill('For the first page');
  await page.keyboard.press('Escape');
  await page.locator('.clip', { hasText: 'For the first page' }).waitFor();
  await button(page, 'Forget token').click();
  assert.equal(await page.locator('[data-select]').count(), 0);
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  // A failed selection says so, and can be tried again.
  await button(page, 'Review clips').click();
  await give(writer);
  await page.route('**/api/projects/**', route =>
    route.fulfill({ status: 503, body: '{"error":"Try again in a moment."}' }),
  );
  await first.getByRole('button', { name: 'Select' }).click();
  await page.getByRole('alert').filter({ hasText: 'Not done. Try again in a moment.' }).waitFor();
  await page.unroute('**/api/projects/**');
  await button(page, 'Try again').click();
  await first.getByRole('button', { name: 'Selected', pressed: true }).waitFor();
  // So does a note that fails after its clip was closed.
  await page.route('**/api/projects/**', route => route.abort());
  await first.getByRole('link').click();
  await page.getByLabel('Review note').fill('For the last page');
  await page.keyboard.press('Escape');
  await page.getByRole('alert').filter({ hasText: 'The review note is not saved yet.' }).waitFor();
  await page.unroute('**/api/projects/**');
  await button(page, 'Try again').click();
  await page.locator('.clip', { hasText: 'For the last page' }).waitFor();
  await page.context().close();

  const chosen = await fetch(`${full.dashboardUrl}/export/selected.zip`);
  assert.equal(chosen.headers.get('content-type'), 'application/zip');
  const names = Buffer.from(await chosen.arrayBuffer()).toString('latin1');
  assert.ok(names.includes(people.submissionId) && !names.includes(weather.submissionId));
});

test('what is not well with a clip is told in words', async () => {
  const project = await bench.project({ projectName: 'States', count: 1 });
  const states = [
    {},
    { incomplete: true },
    {
      mediaStatus: 'failed',
      mediaError: 'The clip is damaged.',
      transcriptStatus: 'failed',
      transcriptError: 'No sound.',
    },
    { mediaStatus: 'processing', transcriptStatus: 'pending' },
    { transcriptStatus: 'processing' },
    { transcriptText: '' },
    { transcriptStatus: 'none' },
  ];
  await copyClip(bench, people.submissionId, states.length, index => ({
    projectId: project.projectId,
    askedAt: new Date(Date.now() + 3_600_000),
    ...states[index],
  }));
  const page = await open(project.dashboardUrl);
  const told = await cards(page).evaluateAll(all =>
    all.map(card => [...card.querySelectorAll('.state')].map(state => state.textContent)),
  );
  assert.deepEqual(told, [
    [],
    ['Incomplete'],
    ['Kept as it came', 'Transcript failed'],
    ['Being prepared', 'Transcript waiting'],
    ['Transcript being made'],
    ['No speech heard'],
    ['No sound'],
  ]);
  const toldOnce = async (index: number, sentence: string) => {
    await cards(page).nth(index).getByRole('link').click();
    await viewer(page).getByText(sentence).first().waitFor();
    assert.equal(await viewer(page).getByText(sentence).count(), 1, `told once: ${sentence}`);
    await page.keyboard.press('Escape');
  };
  await toldOnce(4, 'The transcript is being made.');
  await toldOnce(5, 'No speech was heard in this clip.');
  await cards(page).nth(2).getByRole('link').click();
  await viewer(page).getByText('kept as it came: The clip is damaged.').waitFor();
  await page.keyboard.press('ArrowLeft');
  await viewer(page).getByText('the connection broke off').waitFor();
  await page.context().close();
});

test('what goes wrong is told, and what was there stays: away, back, replaced, unknown', async () => {
  const project = await bench.project({ projectName: 'Moves' });
  const page = await open(project.dashboardUrl);
  await page.route('**/overview', route =>
    route.fulfill({ status: 503, headers: { 'retry-after': '1' }, body: '{"error":"Busy."}' }),
  );
  await page.getByRole('alert').filter({ hasText: 'A part of the service is not answering.' }).waitFor();
  await page.unroute('**/overview');
  await button(page, 'Try again').click();
  await page.getByText('Up to date:').waitFor();
  assert.equal(await page.locator('#banner').isHidden(), true);
  await page.context().setOffline(true);
  await page.getByText('You are offline.').waitFor();
  await page.context().setOffline(false);
  await page.getByText('Up to date:').waitFor();
  await bench.api('POST', `/api/projects/${project.projectId}/dashboard-token`);
  await heading(page, 'This dashboard has moved').waitFor({ timeout: 20_000 });
  assert.doesNotMatch(await page.content(), /Moves<|vr_/, 'nothing of the project stays');
  const answer = await page.goto(project.dashboardUrl);
  assert.equal(answer?.status(), 404);
  await heading(page, 'There is no such dashboard').waitFor();
  const program = await fetch(project.dashboardUrl);
  assert.deepEqual([program.status, await program.json()], [404, { error: 'There is no such dashboard.' }]);
  await page.context().close();
});

test('an answer that breaks off without a word is given up after 20 s, and the page goes on', async () => {
  const silent = createServer((_, answer) => {
    answer.writeHead(200, { 'content-type': 'application/json' });
    answer.write('{"project":');
  });
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const context = await bench.context();
  const page = await context.newPage();
  await page.clock.install();
  await page.route('**/overview', route => route.continue({ url: `http://127.0.0.1:${port}/overview` }));
  const begun = page.waitForResponse('**/overview');
  await page.goto(full.dashboardUrl);
  await begun;
  await page.unroute('**/overview');
  await page.clock.fastForward(20_500);
  await page.getByRole('alert').filter({ hasText: 'The service cannot be reached.' }).waitFor();
  await button(page, 'Try again').click();
  await page.getByText('Up to date:').waitFor();
  await context.close();
  silent.closeAllConnections();
  silent.close();
});

test('a picture that did not come is asked for again', async () => {
  const context = await bench.context();
  const page = await context.newPage();
  let refused = 0;
  await page.route('**/thumbnail-middle', route => (++refused > 2 ? route.continue() : route.fulfill({ status: 429 })));
  await page.goto(full.dashboardUrl);
  await page.waitForFunction(() => {
    const pictures = [...document.querySelectorAll<HTMLImageElement>('.clip img')];
    return pictures.length === 2 && pictures.every(({ naturalWidth }) => naturalWidth > 0);
  });
  assert.ok(refused > 2, 'both pictures were refused once');
  await context.close();
});

test('hostile texts are shown as they are, and execute nothing', async () => {
  const project = await bench.project({ projectName: 'Hostile', count: 1 });
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  await copyClip(bench, people.submissionId, HOSTILE.length, index => {
    const text = HOSTILE[index] as string;
    return {
      projectId: project.projectId,
      note: text,
      reviewNote: text,
      transcriptText: text,
      transcriptVtt: `WEBVTT\n\n00:00.000 --> 00:03.000\n${index % 2 === 0 ? escaped(text) : text}\n`,
      mediaError: text,
      mediaStatus: 'failed',
      interview: true,
      questionIndex: 0,
      questionText: text,
    };
  });
  const page = await open(project.dashboardUrl);
  const executed: string[] = [];
  page.on('dialog', dialog => {
    executed.push(dialog.message());
    void dialog.dismiss();
  });
  for (const [at, hostile] of HOSTILE.entries()) {
    await bench.api('PATCH', `/api/projects/${project.projectId}`, { projectName: hostile });
    await page.goto(`${project.dashboardUrl}?q=${encodeURIComponent(hostile)}`);
    await page.locator('html[data-ready]').waitFor();
    assert.equal(await page.locator('h1').textContent(), hostile);
    assert.equal(await page.getByRole('searchbox').inputValue(), hostile);
    const card = cards(page).first();
    assert.equal(await card.locator('.question').textContent(), `1. ${hostile}`);
    if (at % 5 > 0) continue;
    // The script puts every text in by one way: some of them opened show it for each field.
    await card.getByRole('link').click();
    await viewer(page).locator('.cue').waitFor();
    for (const place of ['.viewer-right', '#states', '#viewer-title'])
      assert.ok((await viewer(page).locator(place).textContent())?.includes(hostile), `${place}: ${hostile}`);
    const injected = await page.evaluate(
      () =>
        document.querySelectorAll('iframe, object, embed, base, math, svg, body *[onload], *[onerror], *[onfocus]')
          .length,
    );
    assert.equal(injected, 0, hostile);
  }
  assert.deepEqual(executed, []);
  await page.context().close();
});

const axe = readFileSync(process.env.AXE_PATH ?? createRequire(import.meta.url).resolve('axe-core'), 'utf8');

interface Fault {
  id: string;
  nodes: { html: string }[];
}

/** Everything that axe objects to on what is shown now. */
async function check(page: Page, what: string): Promise<void> {
  await page.evaluate(axe);
  const faults = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Fault[] }> } };
    return (await axe.run()).violations;
  });
  const told = faults.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  assert.deepEqual(told, [], what);
}

const PHONE = { width: 360, height: 640 };
const DESKTOP = { width: 1280, height: 800 };

/** axe has nothing to say, and nothing lies outside. */
async function fits(page: Page, what: string): Promise<void> {
  await check(page, what);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${what} is ${wide} px too wide`);
}

async function giveToken(page: Page, token: string): Promise<void> {
  await page.getByLabel('API token').fill(token);
  await button(page, 'Start reviewing').click();
}

for (const [colorScheme, viewport, whole] of [
  ['light', PHONE, true],
  ['dark', DESKTOP, true],
  ['dark', PHONE, false],
  ['light', DESKTOP, false],
] as const) {
  test(`axe finds nothing at ${viewport.width} pixels, ${colorScheme}, and nothing is cut off`, async () => {
    const page = await open(full.dashboardUrl, { colorScheme, viewport, reducedMotion: 'reduce' });
    await fits(page, 'clips');
    await cards(page).last().getByRole('link').click();
    await viewer(page).locator('.cue').first().click();
    await page.locator('.cue[aria-current]').waitFor();
    await fits(page, 'viewer');
    await page.keyboard.press('Escape');
    if (whole) {
      await button(page, 'Review clips').click();
      await giveToken(page, 'api_x');
      await page.getByText('A token begins with').waitFor();
      await fits(page, 'token');
      await giveToken(page, writer);
      await page.locator('[data-select]').first().waitFor();
      await cards(page).last().getByRole('link').click();
      await page.getByLabel('Review note').waitFor();
      await fits(page, 'review');
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'Links', exact: true }).click();
      await fits(page, 'links');
      await page.getByRole('link', { name: 'Downloads', exact: true }).click();
      await fits(page, 'downloads');
      await page.goto(`${interview.dashboardUrl}?q=nothing`);
      await fits(page, 'nothing found');
      await page.goto(`${interview.dashboardUrl}x`);
      await fits(page, 'unknown');
    }
    await page.context().close();
  });
}

test('keyboard alone: to a clip, through it and back to where one was', async () => {
  const page = await open(full.dashboardUrl);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to the clips');
  await page.keyboard.press('Enter');
  const focused = () =>
    page.evaluate(
      () => document.activeElement?.closest('[data-id]')?.getAttribute('data-id') ?? document.activeElement?.id,
    );
  for (let presses = 0; (await focused()) !== people.submissionId; presses++) {
    assert.ok(presses < 15, 'Tab leads to the clips');
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await viewer(page).waitFor();
  assert.equal(await focused(), 'viewer-title', 'the dialog begins at its title');
  await page.keyboard.press('ArrowRight');
  await page.locator('.cue', { hasText: 'good' }).first().waitFor();
  for (let presses = 0; !(await page.evaluate(() => document.activeElement?.matches('.cue'))); presses++) {
    assert.ok(presses < 25, 'Tab leads to the transcript');
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.locator('.cue[aria-current]').waitFor();
  await page.keyboard.press('Escape');
  await viewer(page).waitFor({ state: 'hidden' });
  // Back at the clip that was open, not at the one that was opened first.
  await page.waitForFunction(
    id => document.activeElement?.closest('[data-id]')?.getAttribute('data-id') === id,
    weather.submissionId,
  );
  await page.context().close();
});

test('without a script there is a list, a search and every download', async () => {
  const context = await bench.context({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(full.dashboardUrl);
  assert.equal(await cards(page).count(), 2);
  assert.match(String(await page.locator('time').first().textContent()), /UTC/);
  await page.getByRole('searchbox').fill('good');
  await button(page, 'Search').click();
  await page.locator('mark', { hasText: 'good' }).first().waitFor();
  assert.equal(await cards(page).count(), 1);
  for (const name of [/^Everything/, /^The table/, /^All transcripts/, /^All data/])
    await page.getByRole('link', { name }).waitFor();
  const { href } = await cards(page)
    .getByRole('link', { name: 'Watch Clip' })
    .evaluate(link => ({ href: (link as HTMLAnchorElement).href }));
  const video = await fetch(href, { headers: { range: 'bytes=0-99' } });
  assert.deepEqual([video.status, video.headers.get('content-type')], [206, 'video/webm']);
  await context.close();
});

test('the policies: one nonce an answer, nothing from elsewhere, no referrer; a small script', async () => {
  const nonces = new Set<string>();
  for (let visit = 0; visit < 2; visit++) {
    const { headers } = await fetch(full.dashboardUrl);
    const policy = headers.get('content-security-policy') ?? '';
    nonces.add(/script-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? '');
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('cache-control'), 'no-store');
  }
  assert.equal(nonces.size, 2);
  const context = await bench.context();
  const page = await context.newPage();
  const elsewhere: string[] = [];
  const referrers: string[] = [];
  const complaints: string[] = [];
  page.on('request', request => {
    if (new URL(request.url()).origin !== bench.constellation.baseUrl && !request.url().startsWith('data:'))
      elsewhere.push(request.url());
    if (request.headers().referer) referrers.push(request.url());
  });
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(`${full.dashboardUrl}#clip-${weather.submissionId}`);
  await page.locator('.cue').first().click();
  await page.locator('.cue[aria-current]').waitFor();
  assert.deepEqual([elsewhere, referrers, complaints], [[], [], []]);
  const source = await page.locator('script[src]').getAttribute('src');
  await context.close();
  for (const encoding of ['br', 'gzip']) {
    const script = await fetch(new URL(source ?? '', bench.constellation.baseUrl), {
      headers: { 'accept-encoding': encoding },
    });
    assert.match(script.headers.get('cache-control') ?? '', /immutable/);
    await script.arrayBuffer();
    const size = Number(script.headers.get('content-length'));
    assert.ok(size > 0 && size <= SCRIPT_BUDGET_BYTES, `${encoding}: ${size} bytes`);
  }
});
