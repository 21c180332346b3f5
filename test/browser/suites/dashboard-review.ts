import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { until } from '@recording-request/testing/wait';
import { button, heading } from '../actions.ts';
import { copyClip, setState } from '../dashboard-seed.ts';
import type { Submission } from '../test-browser.ts';
import { cards, full, giveToken, harness, openPage, people, playback, viewer, weather } from './dashboard-harness.ts';

test('a token with write access can select and note; a refusal of another token names the missing scope', async () => {
  const reads = await harness.tokenWith(['submissions:read']);
  const writer = await harness.tokenWith(['projects:write']);
  const page = await openPage(harness, full.dashboardUrl);
  assert.equal(await page.locator('[data-select]').count(), 0, 'the URL alone can only read');
  const give = (token: string) => giveToken(page, token);
  // A review begins at the first clip of the page, or at the open clip.
  await cards(page).first().getByRole('link').click();
  await button(page, 'Review this clip').click();
  await page.getByLabel('API token').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('#review-this:focus').waitFor();
  await page.keyboard.press('Enter');
  await give(writer);
  await viewer(page).locator('[data-select]:focus', { hasText: 'Select this clip' }).waitFor();
  await page.getByLabel('Review note').waitFor();
  assert.equal(await button(page, 'Review this clip').count(), 0, 'the review has begun');
  await page.keyboard.press('Escape');
  await button(page, 'Forget token').click();
  await button(page, 'Review clips').click();
  await give('api_short');
  await page.getByText('A token starts with api_').waitFor();
  await give(reads);
  await page.getByText('it lacks the projects:write scope').waitFor();
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
    (await harness.submissions(full))[0] as Submission & { selected: boolean; reviewNote: string | null };
  assert.equal((await stored()).selected, true);
  await page.locator('#figures', { hasText: '1 selected' }).waitFor();
  await first.getByRole('link').click();
  // Space keeps its normal function in a field and on a button.
  await playback(page, 'plays');
  await page.getByLabel('Review note').fill('For the front');
  await page.keyboard.press('Space');
  await page.keyboard.type('page');
  assert.equal(await page.getByLabel('Review note').inputValue(), 'For the front page');
  await page.getByText('Not saved yet.').waitFor();
  await page.context().setOffline(true);
  await button(page, 'Save note').click();
  await page.getByText('Not saved. You are offline.').waitFor();
  await page.context().setOffline(false);
  await button(page, 'Save note').click();
  await viewer(page).getByText('Saved.', { exact: true }).waitFor();
  assert.equal((await stored()).reviewNote, 'For the front page');
  // If two notes are saved one after the other, the second note must win, even if the first request is slow.
  const held = Promise.withResolvers<void>();
  let [sent, answered] = [0, 0];
  await page.route('**/api/projects/**', async route => {
    if (route.request().method() === 'PATCH' && ++sent === 1) await held.promise;
    await route.continue();
  });
  page.on('response', response => {
    if (response.request().method() === 'PATCH') answered += 1;
  });
  for (const note of ['For page two', 'For page three']) {
    await page.getByLabel('Review note').fill(note);
    await button(page, 'Save note').click();
  }
  assert.equal(sent, 1, 'the second waits for the first');
  held.resolve();
  await until('both answers', async () => answered === 2);
  await viewer(page).getByText('Saved.', { exact: true }).waitFor();
  assert.equal((await stored()).reviewNote, 'For page three');
  await page.unroute('**/api/projects/**');
  await viewer(page).getByRole('button', { name: 'Selected', exact: false, pressed: true }).click();
  await viewer(page).getByRole('button', { name: 'Select this clip' }).waitFor();
  assert.equal((await stored()).selected, false);
  // Closing the clip saves the note.
  await page.getByLabel('Review note').fill('For the first page');
  await page.keyboard.press('Escape');
  await page.locator('.clip', { hasText: 'For the first page' }).waitFor();
  await button(page, 'Forget token').click();
  assert.equal(await page.locator('[data-select]').count(), 0);
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  // The page reports a failed selection and can retry it.
  await button(page, 'Review clips').click();
  await give(writer);
  await page.route('**/api/projects/**', route =>
    route.fulfill({ status: 503, body: '{"error":"Try again in a moment."}' }),
  );
  await first.getByRole('button', { name: 'Select' }).click();
  await page.getByRole('alert').filter({ hasText: 'That did not work. Try again in a moment.' }).waitFor();
  await page.unroute('**/api/projects/**');
  await button(page, 'Try again').click();
  await first.getByRole('button', { name: 'Selected', pressed: true }).waitFor();
  // The page also reports a note that could not be saved after its clip was closed, and can retry it.
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

test('the page describes a clip’s problems in words', async () => {
  const project = await harness.project({ projectName: 'States', count: 1 });
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
  const ids = await copyClip(harness, people.submissionId, states.length, index => ({
    projectId: project.projectId,
    askedAt: new Date(Date.now() + 3_600_000),
    ...states[index],
  }));
  const page = await openPage(harness, project.dashboardUrl);
  // The page polls while clips are unfinished, even if they do not change.
  const threePolls = async () => {
    const again = page.waitForResponse('**/submissions?*');
    for (let round = 0; round < 3; round++)
      await Promise.all([
        page.waitForResponse('**/overview'),
        page.evaluate(() => dispatchEvent(new Event('visibilitychange'))),
      ]);
    return (await again).status();
  };
  assert.equal(await threePolls(), 304);
  const shown = await cards(page).evaluateAll(all =>
    all.map(card => [...card.querySelectorAll('.state')].map(state => state.textContent)),
  );
  assert.deepEqual(shown, [
    [],
    ['Incomplete'],
    ['Original only', 'Transcription failed'],
    ['Processing', 'Transcript queued'],
    ['Transcribing'],
    ['No speech'],
    ['No sound'],
  ]);
  const shownOnce = async (index: number, sentence: string) => {
    await cards(page).nth(index).getByRole('link').click();
    await viewer(page).getByText(sentence).first().waitFor();
    assert.equal(await viewer(page).getByText(sentence).count(), 1, `shown once: ${sentence}`);
    await page.keyboard.press('Escape');
  };
  await shownOnce(4, 'This clip is being transcribed.');
  // A transcript that arrives during playback does not restart the clip.
  await cards(page).nth(4).getByRole('link').click();
  await playback(page, 'plays');
  await page.locator('video').evaluate(video => video.setAttribute('data-mine', ''));
  await setState(harness, ids[4]!, { transcriptStatus: 'completed' });
  await threePolls();
  await viewer(page).locator('.transcript', { hasText: 'years' }).waitFor();
  assert.equal(await page.locator('video[data-mine]').count(), 1, 'the player was replaced');
  await page.keyboard.press('Escape');
  await shownOnce(5, 'No speech was detected in this clip.');
  await cards(page).nth(2).getByRole('link').click();
  await viewer(page).getByText('the original was kept: The clip is damaged.').waitFor();
  await page.keyboard.press('ArrowLeft');
  await viewer(page).getByText('the connection was lost').waitFor();
  await page.context().close();
});

test('the page shows an outage and keeps its content, then recovers; a moved or unknown dashboard has its page', async () => {
  const project = await harness.project({ projectName: 'Moves' });
  const page = await openPage(harness, project.dashboardUrl);
  await page.route('**/overview', route =>
    route.fulfill({ status: 503, headers: { 'retry-after': '1' }, body: '{"error":"Busy."}' }),
  );
  await page.getByRole('alert').filter({ hasText: 'Part of the service is not responding.' }).waitFor();
  await page.unroute('**/overview');
  await button(page, 'Try again').click();
  await page.getByText('Up to date. New clips').waitFor();
  assert.equal(await page.locator('#banner').isHidden(), true);
  await page.context().setOffline(true);
  await page.getByText('You are offline.').waitFor();
  await page.context().setOffline(false);
  await page.getByText('Up to date. New clips').waitFor();
  await harness.api('POST', `/api/projects/${project.projectId}/dashboard-token`);
  await heading(page, 'This dashboard has moved').waitFor({ timeout: 20_000 });
  assert.doesNotMatch(await page.content(), /Moves<|vr_/, 'the page has no data of the project');
  const answer = await page.goto(project.dashboardUrl);
  assert.equal(answer?.status(), 404);
  await heading(page, 'Dashboard not found').waitFor();
  const program = await fetch(project.dashboardUrl);
  assert.deepEqual([program.status, await program.json()], [404, { error: 'There is no such dashboard.' }]);
  await page.context().close();
});

test('the page gives up a stalled answer after 20 s, and continues', async t => {
  const silent = createServer((_, answer) => {
    answer.writeHead(200, { 'content-type': 'application/json' });
    answer.write('{"project":');
  });
  t.after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const context = await harness.context();
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
  await page.getByText('Up to date. New clips').waitFor();
  await context.close();
});

for (const when of ['while the page is open', 'before its script has loaded'])
  test(`the page retries a picture that was refused ${when}`, async () => {
    const context = await harness.context();
    const page = await context.newPage();
    let refused = 0;
    const { promise: bothRefused, resolve } = Promise.withResolvers<void>();
    await page.route('**/thumbnail-middle', async route => {
      if (++refused > 2) return route.continue();
      await route.fulfill({ status: 429 });
      if (refused === 2) resolve();
    });
    if (when === 'before its script has loaded')
      await page.route('**/*.js', async route => {
        await bothRefused;
        await route.continue();
      });
    await page.goto(full.dashboardUrl);
    await page.waitForFunction(() => {
      const pictures = [...document.querySelectorAll<HTMLImageElement>('.clip img')];
      return pictures.length === 2 && pictures.every(({ naturalWidth }) => naturalWidth > 0);
    });
    assert.ok(refused > 2, 'both pictures were refused once');
    await context.close();
  });
