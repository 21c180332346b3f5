import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { beginResponse } from '@recording-request/testing/contributor';
import { until } from '@recording-request/testing/wait';
import type { Locator, Page } from 'playwright-core';
import { button, heading } from '../actions.ts';
import { copyClip, deliver, finished } from '../dashboard-seed.ts';
import { landed, type Project, type Submission } from '../test-browser.ts';
import {
  cards,
  full,
  harness,
  openPage,
  PEOPLE,
  people,
  started,
  viewer,
  WEATHER,
  weather,
} from './dashboard-harness.ts';

/** An interview with two questions. One contributor answered both, another contributor only the first. */
let interview: Project;

before(async () => {
  await started();
  interview = await harness.project({
    projectName: 'Working here',
    count: 2,
    interviewQuestions: ['What made you join?', 'And now?'],
  });
  for (const [person, count] of [2, 1].entries()) {
    const session = await beginResponse(interview.urls[person]!);
    for (let questionIndex = 0; questionIndex < count; questionIndex++)
      await deliver(interview.urls[person]!, PEOPLE, { session, questionIndex });
  }
  await finished(harness, interview, 3);
});

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

/** Waits until a button has this name, even for a short time: a script in the page checks each change. */
async function named(page: Page, name: string): Promise<void> {
  const seen = await page.evaluate(
    ({ name, limitMs }) =>
      new Promise<boolean>(resolve => {
        const nameOf = (button: Element) => button.getAttribute('aria-label') ?? button.textContent?.trim();
        new MutationObserver(() => {
          if ([...document.querySelectorAll('button')].some(button => nameOf(button) === name)) resolve(true);
        }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
        setTimeout(() => resolve(false), limitMs);
      }),
    { name, limitMs: 30_000 },
  );
  assert.ok(seen, `no button showed “${name}”`);
}

/** Returns true if the browser's own player shows this part, which selectors cannot reach. */
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

test('the page shows figures and a picture grid; a clip plays with captions and a clickable transcript', async () => {
  const page = await harness.page();
  const polls: string[] = [];
  page.on('response', answer => {
    const what = /\/(overview|submissions|links)(?:\?|$)/.exec(answer.url())?.[1];
    if (what) polls.push(`${what} ${answer.status()}`);
  });
  await page.goto(full.dashboardUrl);
  await page.locator('html[data-ready]').waitFor();
  await heading(page, 'Customers').waitFor();
  assert.match((await page.locator('#figures').textContent()) ?? '', /Clips2.*Responses2of 12, 10 left.*Transcripts2/s);
  assert.equal(await cards(page).count(), 2);
  await page.waitForFunction(() =>
    [...document.querySelectorAll<HTMLImageElement>('.clip img')].every(
      ({ complete, naturalWidth }) => complete && naturalWidth > 0,
    ),
  );
  await page.getByRole('link', { name: 'Watch clip' }).last().click();
  assert.equal(new URL(page.url()).hash, `#clip-${weather.submissionId}`);
  const cue = viewer(page).locator('.cue', { hasText: 'today' }).first();
  await cue.click();
  // The clip plays from the clicked words. The player shows these words as a caption, and the transcript marks them.
  const marked = () =>
    page.evaluate(() => {
      const video = document.querySelector('video');
      const [track] = video?.textTracks ?? [];
      const activeCue = track?.activeCues?.[0] as VTTCue | undefined;
      const words = document.querySelector('#viewer .cue[aria-current]')?.textContent;
      // Reads the caption and the mark at once, because the clip continues to play.
      const shows = video && !video.paused && video.currentTime > 0 && track?.mode === 'showing';
      if (!shows || !activeCue || !words?.includes(activeCue.text)) return undefined;
      video.pause();
      return true;
    });
  await until('the spoken words as caption and marked in the transcript', marked, {
    limitMs: 30_000,
  });
  assert.match(await viewer(page).locator('.transcript').textContent().then(String), /good/);
  // The card and the player show the same length in whole seconds. The browser's own player shows no other length.
  const length = `0:${String(weather.durationSec).padStart(2, '0')}`;
  assert.equal(await cards(page).last().locator('.length').textContent(), length);
  assert.equal((await page.locator('#viewer-when').textContent())?.split(' · ')[1], length);
  assert.equal(await playerShows(page, 'current-time-display'), true);
  assert.equal(await playerShows(page, 'time-remaining-display'), false, 'the player does not show a second length');
  const heardAt = await page.evaluate(() => document.querySelector('video')?.textTracks[0]?.cues?.[0]?.startTime ?? -1);
  assert.ok(heardAt >= 0 && heardAt < 4);
  await page.goBack();
  await viewer(page).waitFor({ state: 'hidden' });
  assert.equal(new URL(page.url()).hash, '');
  // If nothing changed, even the response to the first poll has no body.
  await until('a poll', async () => polls.length > 0, { limitMs: 20_000 });
  assert.deepEqual([...new Set(polls)], ['overview 304']);
  // A clip's URL opens the clip.
  const straight = await openPage(harness, `${full.dashboardUrl}#clip-${people.submissionId}`);
  await viewer(straight).getByText('Call me (before 5 pm).').waitFor();
  await straight.goto(`${full.dashboardUrl}#clip-01900000-0000-7000-8000-000000000000`);
  await straight.reload();
  await heading(straight, 'Clip not found').waitFor();
  await Promise.all([page, straight].map(each => each.context().close()));
});

test('captions can be downloaded as WebVTT and SubRip for a clip, and as a ZIP for all', async () => {
  const page = await openPage(harness, full.dashboardUrl);
  const saved = async (link: Locator) => {
    const [file] = await Promise.all([page.waitForEvent('download'), link.click()]);
    return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
  };
  await page.getByRole('link', { name: 'Downloads' }).click();
  const zip = await saved(page.getByRole('link', { name: /^Captions/ }));
  assert.match(zip.name, /^Customers - transcripts\.zip$/);
  assert.equal(zip.bytes.subarray(0, 4).toString('latin1'), 'PK\x03\x04');
  assert.ok(zip.bytes.includes(`0001-${weather.submissionId}.srt`));
  await page.goto(`${full.dashboardUrl}#clip-${weather.submissionId}`);
  const vtt = await saved(viewer(page).getByRole('link', { name: 'Captions, VTT' }));
  assert.match(vtt.bytes.toString(), /^WEBVTT\n\n00:00:0/);
  const srt = await saved(viewer(page).getByRole('link', { name: 'Captions, SRT' }));
  assert.match(srt.name, /transcript\.srt$/);
  assert.match(srt.bytes.toString(), /^1\n00:00:0\d,\d{3} --> 00:00:/);
  await page.context().close();
});

test('search finds words in transcripts, notes and questions of this project only, and takes no text as a pattern', async () => {
  const found = async (q: string, project = full): Promise<string[]> => {
    const answer = await fetch(`${project.dashboardUrl}/submissions?${new URLSearchParams({ q })}`);
    assert.equal(answer.status, 200, q);
    return ((await answer.json()) as { submissions: Submission[] }).submissions.map(({ submissionId }) => submissionId);
  };
  assert.deepEqual(await found('GOOD toda'), [weather.submissionId], 'parts of words, in any case');
  assert.deepEqual(
    await found('(before 5'),
    [people.submissionId],
    'the note, with characters that are special in a pattern',
  );
  assert.deepEqual(await found('good many'), [], 'all words');
  for (const pattern of ['.*', '^', '[a-z]+', '\\', '$where', 'goo.', '\u0000good.'])
    assert.deepEqual(await found(pattern), [], pattern);
  assert.equal((await found('join', interview)).length, 2, 'the question');
  assert.deepEqual(await found('join'), [], 'no clip of another project');
  for (const [q, count] of [
    ['nothinghasit', 0],
    ['good', 1],
  ] as const) {
    const ofOwner = await harness.api('GET', `/api/projects/${full.projectId}/submissions?q=${q}`);
    assert.equal((ofOwner.submissions as unknown[]).length, count, 'the owner’s list has the same search');
  }
  const long = await fetch(`${full.dashboardUrl}/submissions?q=${'x'.repeat(201)}`);
  assert.equal(long.status, 400);

  const page = await openPage(harness, full.dashboardUrl);
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
  await page.getByText('No clips match.').waitFor();
  await page.getByRole('link', { name: 'Show all clips' }).click();
  await cards(page).nth(1).waitFor();
  // Tests the filters, and that a list with filters in its URL is already filtered at its first paint.
  await page.getByLabel('Transcript', { exact: true }).selectOption('failed');
  await page.getByText('No clips match.').waitFor();
  await page.goto(`${full.dashboardUrl}?transcriptStatus=completed&q=years`);
  await page.locator('mark', { hasText: 'years' }).first().waitFor();
  assert.equal(await cards(page).count(), 1);
  await page.context().close();
});

test('answers are grouped by contributor, in the order of the questions', async () => {
  const page = await openPage(harness, interview.dashboardUrl);
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
  await page.getByLabel('Group by contributor').uncheck();
  assert.equal(await persons.count(), 0);
  assert.equal(await cards(page).count(), 3);
  await page.context().close();
});

test('the page shows link states, copies links, saves a QR code and loads a long list in pages', async () => {
  const many = await harness.project({ projectName: 'Many', count: 230 });
  const page = await openPage(harness, `${many.dashboardUrl}#links`);
  assert.equal(await page.locator('#link-rows tr').count(), 100);
  await button(page, 'Show more links').click();
  await page.locator('#link-rows tr').nth(199).waitFor();
  await Promise.all([named(page, '230 links copied'), button(page, 'Copy all').click()]);
  assert.deepEqual((await clipboard(page)).split('\n'), many.urls);
  await page.context().close();

  const other = await openPage(harness, full.dashboardUrl);
  await other.getByRole('link', { name: 'Links', exact: true }).click();
  await other.locator('.shared').getByText('Open: 8 of 9 uses left').waitFor();
  const copyShared = button(other, 'Copy link for everyone');
  await Promise.all([named(other, 'Copied'), copyShared.click()]);
  assert.equal(await clipboard(other), full.sharedUrl);
  await copyShared.waitFor();
  // The name of each row's copy button contains the row's link.
  const copySecond = button(other, `Copy personal link ${full.urls[1]!.replace('http://', '')}`);
  await Promise.all([named(other, 'Copied'), copySecond.click()]);
  assert.equal(await clipboard(other), full.urls[1]);
  const states = other.locator('#link-rows .state');
  assert.deepEqual(await states.allTextContents(), ['Clip received', 'Not opened yet', 'Not opened yet']);
  await fetch(`${full.urls[1]}/opened`, { method: 'POST' });
  await other.reload();
  await states.nth(1).filter({ hasText: 'Opened, nothing sent yet' }).waitFor();
  await other.getByLabel('Filter links by status').selectOption('Clip received');
  await other.locator('#link-rows tr').nth(1).waitFor({ state: 'detached' });
  assert.deepEqual(await states.allTextContents(), ['Clip received']);
  const [saved] = await Promise.all([
    other.waitForEvent('download'),
    other.getByRole('link', { name: 'Save QR code' }).click(),
  ]);
  const read = spawnSync('zbarimg', ['-q', '--raw', await saved.path()], { encoding: 'utf8' });
  assert.equal(read.stdout.trim(), full.sharedUrl);
  await other.context().close();
});

test('a landed clip and its transcript appear without a reload; in a scrolled list only on demand', async () => {
  const project = await harness.project({ projectName: 'Live', count: 2, transcriptionEnabled: true });
  const page = await openPage(harness, project.dashboardUrl);
  const polls: number[] = [];
  page.on('response', answer => answer.url().endsWith('/overview') && polls.push(answer.status()));
  await page.getByText('No clips yet.').waitFor();
  await deliver(project.urls[0]!, WEATHER);
  await cards(page).first().waitFor();
  await cards(page).locator('.quote', { hasText: 'good' }).waitFor();
  await cards(page).locator('img').waitFor();
  await page.locator('#figures', { hasText: /Clips1.*Transcripts1/s }).waitFor();
  // If nothing changed, the server returns 304 without a body.
  await until('an answer without news', async () => polls.includes(304), { limitMs: 20_000 });
  const [clip] = (await landed(harness, project)) as [Submission];
  await copyClip(harness, clip.submissionId, 30);
  await page.reload();
  await cards(page).nth(20).waitFor();
  await cards(page).nth(20).scrollIntoViewIfNeeded();
  await cards(page).nth(30).waitFor();
  const names = await page.locator('.open').evaluateAll(links => links.map(link => link.textContent));
  assert.equal(new Set(names).size, names.length, `each clip has its own name: ${names.slice(0, 3)}`);
  const before = await page.evaluate(() => scrollY);
  await deliver(project.urls[1]!, WEATHER);
  await button(page, 'Show 1 new clip').waitFor();
  assert.equal(await page.evaluate(() => scrollY), before, 'nothing jumps');
  const covered = await page.evaluate(() => {
    scrollTo(0, 0);
    const title = document.querySelector('h1')!;
    const { left, right, top, bottom } = title.getBoundingClientRect();
    const button = document.getElementById('show-waiting')!.getBoundingClientRect();
    return button.top < bottom && button.bottom > top && button.left < right && button.right > left;
  });
  assert.equal(covered, false, 'the title can be read');
  await button(page, 'Show 1 new clip').click();
  await cards(page).nth(31).waitFor();
  await page.context().close();
});

test('a long list loads in pages, and the page never holds more than ten of them', async () => {
  const project = await harness.project({ projectName: 'Long', count: 1 });
  await copyClip(harness, people.submissionId, 300, index => ({
    projectId: project.projectId,
    note: `number ${index + 1}`,
  }));
  const page = await openPage(harness, project.dashboardUrl);
  assert.equal(await cards(page).count(), 24);
  await page.waitForFunction(() => {
    scrollTo(0, document.body.scrollHeight);
    return document.querySelectorAll('.clip:not(.skeleton)').length === 240;
  });
  await page.getByRole('link', { name: 'Show older clips' }).click();
  await page.locator('.clip', { hasText: 'number 241' }).waitFor();
  assert.ok((await cards(page).count()) <= 48, 'the earlier clips are removed');
  await page.waitForFunction(() => {
    scrollTo(0, document.body.scrollHeight);
    return document.body.textContent?.includes('number 300');
  });
  await page.getByRole('link', { name: 'Back to newest' }).click();
  await page.locator('.clip', { hasText: 'number 2' }).first().waitFor();
  await page.context().close();
});
