import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { chromium, type Page } from 'playwright-core';
import { button, heading, kept, recordedFor, startRecording, stop, stored } from '../actions.ts';
import { type CuttingProxy, startCuttingProxy } from '../cutting-proxy.ts';
import { deviceArguments, EXECUTABLE, landed, type Project } from '../test-browser.ts';
import { harness, started } from './recovery-harness.ts';

const LIMIT_MS = 60_000;

let proxy: CuttingProxy;
before(async () => {
  await started();
  proxy = await startCuttingProxy(harness.system.baseUrl);
});
after(() => proxy?.[Symbol.asyncDispose]());

const throughProxy = (project: Project): string => proxy.origin + new URL(project.urls[0]!).pathname;
const isUpload = (path: string): boolean => path.includes('/uploads');

/** Returns the same random numbers from 0 to 1 for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test('a take lands unchanged over a network that breaks repeatedly at random bytes', async t => {
  const seed = Number(process.env.SEED) || randomInt(1, 2 ** 31);
  const where = `SEED=${seed} repeats this run`;
  t.diagnostic(where);
  const random = seeded(seed);
  const most = 6;
  proxy.cuts = 0;
  // Cuts at least every second request. Never cuts two answers in a row.
  let passed = false;
  let last: number | 'answer' = 'answer';
  proxy.decide = ({ path, length }) => {
    if (!isUpload(path) || proxy.cuts >= most) return undefined;
    passed = !passed && random() > 0.5;
    if (passed) return undefined;
    last = last !== 'answer' && random() < 0.5 ? 'answer' : Math.floor(random() * length);
    return last;
  };
  const project = await harness.project();
  const page = await harness.page();
  await page.goto(throughProxy(project));
  await startRecording(page);
  await recordedFor(page, 6);
  await stop(page);
  const recorded = await kept(page);
  await button(page, 'Send').click();
  await heading(page, 'Your video has arrived').waitFor({ timeout: LIMIT_MS });
  const found = await landed(harness, project);
  t.diagnostic(`${proxy.cuts} cuts in ${recorded.size} bytes`);
  assert.ok(proxy.cuts >= 3, `${proxy.cuts} cuts; ${where}`);
  assert.equal(found.length, 1, where);
  assert.equal(found[0]?.sha256, recorded.sha256, where);
  assert.equal(found[0]?.incomplete, false, where);
  await page.context().close();
});

test('a take arrives whole and once if the network breaks before the last byte and before its answer', async () => {
  const project = await harness.project();
  const page = await harness.page();
  let total = Number.POSITIVE_INFINITY;
  proxy.decide = ({ method, path }) => (isUpload(path) && method === 'PATCH' ? 0 : undefined);
  await page.goto(throughProxy(project));
  await startRecording(page);
  await recordedFor(page, 3);
  await stop(page);
  const recorded = await kept(page);
  total = recorded.size;
  const cuts: string[] = [];
  proxy.decide = ({ method, offset, length }) => {
    if (method !== 'PATCH' || length === 0 || offset + length !== total || cuts.length === 2) return undefined;
    cuts.push(cuts.length === 0 ? 'before the last byte' : 'before the answer');
    return cuts.length === 1 ? length - 1 : 'answer';
  };
  await button(page, 'Send').click();
  await heading(page, 'Your video has arrived').waitFor({ timeout: LIMIT_MS });
  assert.deepEqual(cuts, ['before the last byte', 'before the answer']);
  const found = await landed(harness, project);
  assert.equal(found.length, 1);
  assert.equal(found[0]?.sha256, recorded.sha256);
  assert.equal((await kept(page)).takes, 0, 'the device has deleted the take');
  await page.context().close();
});

test('a take survives a killed browser: a later browser has it and sends it', async () => {
  const project = await harness.project();
  const profile = await mkdtemp(join(tmpdir(), 'browser-profile-'));
  try {
    await using first = await openProfile(profile);
    await first.page.goto(project.urls[0]!);
    await startRecording(first.page);
    await stored(first.page, 4);
    await first.kill();
    await using second = await openProfile(profile);
    await second.page.goto(project.urls[0]!);
    await second.page.locator('#review-state', { hasText: 'Your video is still here.' }).waitFor();
    await second.page.locator('#review-state', { hasText: '100% uploaded' }).waitFor();
    const recorded = await kept(second.page);
    await button(second.page, 'Send').click();
    await heading(second.page, 'Your video has arrived').waitFor();
    const [clip] = await landed(harness, project);
    assert.equal(clip?.sha256, recorded.sha256);
    assert.ok(clip.durationSec >= 2, `${clip.durationSec} s`);
    assert.equal(clip.incomplete, false);
  } finally {
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
});

interface Profile extends AsyncDisposable {
  page: Page;
  /** Sends SIGKILL to all processes of the browser, so that no handler of the page runs. */
  kill(): Promise<void>;
}

/**
 * Starts a browser with its own folder, where the data of pages outlives the browser. Restarts a browser that does not
 * respond.
 */
const openProfile = (folder: string): Promise<Profile> =>
  startProfile(folder).catch(error => {
    if ((error as Error).name !== 'TimeoutError') throw error;
    return startProfile(folder);
  });

async function startProfile(folder: string): Promise<Profile> {
  const args = [
    ...(await deviceArguments('speech')),
    '--headless=new',
    '--lang=en-GB',
    '--no-first-run',
    '--remote-debugging-port=0',
    `--user-data-dir=${folder}`,
  ];
  await using starting = new AsyncDisposableStack();
  const child = spawn(EXECUTABLE, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const exited = once(child, 'exit');
  starting.defer(async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
    await exited;
  });
  const browser = await chromium.connectOverCDP(await debuggingAddress(child));
  const page = await browser.contexts()[0]!.newPage();
  page.setDefaultTimeout(LIMIT_MS / 2);
  const started = starting.move();
  const kill = async () => {
    await started.disposeAsync();
    await browser.close().catch(() => {});
  };
  return { page, kill, [Symbol.asyncDispose]: kill };
}

async function debuggingAddress(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stderr! })) {
    const address = /DevTools listening on (ws:\S+)/.exec(line)?.[1];
    if (address) return address;
  }
  throw new Error('the browser ended before it printed its address');
}
