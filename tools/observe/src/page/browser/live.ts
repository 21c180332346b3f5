// Updates the page without a reload, so that the scroll position and the focus stay.

import { drawCharts } from './charts.ts';

const EVERY_MS = 10_000;
const LIMIT_MS = 20_000;

async function renew(): Promise<void> {
  const old = document.querySelector('#live');
  // Does not update the page while the user chooses from a menu.
  if (!old || document.hidden || old.contains(document.querySelector('select:focus, textarea:focus'))) return;
  const answer = await fetch(location.href, { signal: AbortSignal.timeout(LIMIT_MS) });
  const next = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('#live');
  if (!answer.ok || !next) return;
  const focus = document.activeElement;
  const place = focus && old.contains(focus) ? [...old.querySelectorAll('a')].indexOf(focus as HTMLAnchorElement) : -1;
  old.replaceWith(next);
  drawCharts(next);
  if (place >= 0) [...next.querySelectorAll('a')][place]?.focus({ preventScroll: true });
}

function begin(button: HTMLButtonElement): void {
  let isOn = true;
  let isBusy = false;
  const note = document.querySelector('#stale');
  button.hidden = false;
  button.addEventListener('click', () => {
    isOn = !isOn;
    button.textContent = isOn ? 'Pause' : 'Resume';
  });
  setInterval(async () => {
    if (!isOn || isBusy) return;
    isBusy = true;
    try {
      await renew();
      if (note) note.textContent = '';
    } catch {
      if (note) note.textContent = 'The server no longer responds: this page is out of date.';
    } finally {
      isBusy = false;
    }
  }, EVERY_MS);
}

drawCharts(document);
const button = document.querySelector<HTMLButtonElement>('#pause');
if (button) begin(button);
