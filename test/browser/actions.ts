import assert from 'node:assert/strict';
import { until } from '@recording-request/testing/wait';
import type { Page } from 'playwright-core';

// A contributor's actions. They find elements by the visible names.

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
export const heading = (page: Page, name: string) => page.getByRole('heading', { name });

/** Goes from the first screen to a running recording. */
export async function startRecording(page: Page): Promise<void> {
  await button(page, 'Turn on the camera').click();
  await recordNow(page);
}

/** Goes from the camera's screen to a running recording. */
export async function recordNow(page: Page): Promise<void> {
  await page.locator('#ready-text', { hasText: 'We can see and hear you.' }).waitFor();
  await button(page, 'Start recording').click();
  await button(page, 'Stop').waitFor();
}

/** Waits until the page shows at least that many recorded seconds. */
export async function recordedFor(page: Page, seconds: number): Promise<void> {
  await page.waitForFunction(
    least => {
      const [minutes = '0', rest = '0'] = (document.getElementById('elapsed')?.textContent ?? '0:00').split(':');
      return Number(minutes) * 60 + Number(rest) >= least;
    },
    seconds,
    { polling: 100 },
  );
}

export async function stop(page: Page): Promise<void> {
  await button(page, 'Stop').click();
  await heading(page, 'Watch it back').waitFor();
}

/** Waits for an ending with this title. Fails unless it has its mark, a reason and a next step. */
export async function ending(page: Page, title: string): Promise<void> {
  await heading(page, title).waitFor();
  const end = page.locator('.end:visible');
  assert.equal(await end.locator('.mark svg').isVisible(), true, `${title}: a mark`);
  assert.notEqual((await end.locator('.lead:visible').first().textContent())?.trim(), '', `${title}: a reason`);
  const steps = await end.locator('.actions :is(a, button):visible, .next:visible').count();
  assert.ok(steps > 0, `${title}: a next step`);
}

export interface Kept {
  sha256: string;
  size: number;
  takes: number;
  /** The total recorded time of the takes, as the page's clock shows it. */
  seconds: number;
}

/**
 * Returns the takes that this device keeps for the link of the page. The browser hashes the bytes as it records them.
 */
export function kept(page: Page): Promise<Kept> {
  return page.evaluate(async () => {
    const settled = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await settled(indexedDB.open('recordings', 1));
    const takes: { durationMs: number }[] = await settled(database.transaction('takes').objectStore('takes').getAll());
    const chunks = await settled(database.transaction('chunks').objectStore('chunks').getAll());
    database.close();
    const blob = new Blob(chunks as ArrayBuffer[]);
    const digest = await crypto.subtle.digest('SHA-256', await blob.arrayBuffer());
    const sha256 = Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('');
    const seconds = takes.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1_000;
    return { sha256, size: blob.size, takes: takes.length, seconds };
  });
}

/**
 * Waits until the device stores at least `pieces` pieces of the running take. The page records at most one piece a
 * second.
 */
export async function stored(page: Page, pieces: number): Promise<void> {
  await until(
    `${pieces} pieces of the running take, stored on the device`,
    async () => (await storedPieces(page).catch(() => 0)) >= pieces,
    { limitMs: 30_000 },
  );
}

function storedPieces(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const settled = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await settled(indexedDB.open('recordings', 1));
    const transaction = database.transaction(['takes', 'chunks']);
    const takes: { id: string; stopped: boolean }[] = await settled(transaction.objectStore('takes').getAll());
    const running = takes.find(take => !take.stopped);
    const range = running && IDBKeyRange.bound([running.id], [running.id, []]);
    const pieces = range ? await settled(transaction.objectStore('chunks').count(range)) : 0;
    database.close();
    return pieces;
  });
}
