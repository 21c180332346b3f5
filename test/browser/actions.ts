import type { Page } from 'playwright-core';

// What a contributor does, by the names that they see.

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
export const heading = (page: Page, name: string) => page.getByRole('heading', { name });

/** From the first screen to a running recording. */
export async function startRecording(page: Page): Promise<void> {
  await button(page, 'Turn on the camera').click();
  await recordNow(page);
}

/** From the stage to a running recording. */
export async function recordNow(page: Page): Promise<void> {
  await page.locator('#ready-text', { hasText: 'We can see and hear you.' }).waitFor();
  await button(page, 'Start recording').click();
  await button(page, 'Stop').waitFor();
}

/** Waits until at least so many seconds have been recorded, as the page tells them. */
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
  await heading(page, 'Look at your take').waitFor();
}

export interface Kept {
  sha256: string;
  size: number;
  takes: number;
}

/** What this device keeps of the takes of its link: made in the browser, over the bytes as they were recorded. */
export function kept(page: Page): Promise<Kept> {
  return page.evaluate(async () => {
    const settled = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await settled(indexedDB.open('recordings', 1));
    const takes = await settled(database.transaction('takes').objectStore('takes').count());
    const chunks = await settled(database.transaction('chunks').objectStore('chunks').getAll());
    database.close();
    const blob = new Blob(chunks as ArrayBuffer[]);
    const digest = await crypto.subtle.digest('SHA-256', await blob.arrayBuffer());
    const sha256 = Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('');
    return { sha256, size: blob.size, takes };
  });
}
