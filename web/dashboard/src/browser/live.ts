import type { DashboardOverviewJson } from '@recording-request/contract/resources/dashboard';
import { pagePath } from '@recording-request/web-shared/browser/page';
import { Refusal } from '@recording-request/web-shared/browser/requests';
import { render } from 'preact';
import { downloads, figures } from '../components/figures.ts';
import { Poller, settings } from './api.ts';
import { ended, failed, onTryAgain, works } from './connection.ts';
import { elements } from './elements.ts';
import { lookAtEndpoint } from './endpoint.ts';
import { hasUnfinished } from './held.ts';
import { refreshLinks } from './links.ts';
import { refresh } from './news.ts';
import { refreshPeople } from './people-section.ts';

// Polls the figures every few seconds while the tab is visible, and the clips only when the figures changed.

const EVERY_MS = 5_000;
const LONGEST_MS = 60_000;
/** After this many rounds, unfinished clips are polled even if the figures have not changed. */
const UNFINISHED_ROUNDS = 3;
/** The number of rounds between two requests for the endpoint's state. */
const ENDPOINT_ROUNDS = 12;

const PATH = '/overview';
const overview = new Poller();
let { project } = settings.overview;
let wait = EVERY_MS;
let timer: number | undefined;
let asking = false;
let round = 0;
/** True when clips must be polled in the next round, for example because the last poll failed. */
let owed = false;

async function look(): Promise<void> {
  clearTimeout(timer);
  if (asking || ended || document.hidden) return;
  asking = true;
  try {
    const received = await overview.poll<DashboardOverviewJson>(PATH);
    round += 1;
    if (received) {
      render(figures(received), elements.figures);
      render(downloads(received, pagePath), elements.downloadList);
      owed = true;
      project = received.project;
    }
    if (round % ENDPOINT_ROUNDS === 0) void lookAtEndpoint(project);
    const all = owed;
    owed ||= hasUnfinished() && round % UNFINISHED_ROUNDS === 0;
    if (owed) {
      const brought = await refresh(all);
      refreshPeople();
      await refreshLinks();
      owed = !brought;
    }
    works();
    wait = EVERY_MS;
  } catch (error) {
    failed(error);
    const serverWait = error instanceof Refusal ? error.waitMs : 0;
    wait = Math.min(LONGEST_MS, Math.max(wait * 2, serverWait));
  } finally {
    asking = false;
    if (!ended) timer = window.setTimeout(() => void look(), wait);
  }
}

/** Polls at once. */
export function lookNow(): void {
  wait = EVERY_MS;
  void look();
}

export function startLive(): void {
  onTryAgain(lookNow);
  addEventListener('visibilitychange', () => !document.hidden && lookNow());
  addEventListener('online', lookNow);
  addEventListener('offline', () => failed(new TypeError('offline')));
  overview.know(PATH, settings.etags.overview);
  works();
  void lookAtEndpoint(project);
  timer = window.setTimeout(() => void look(), wait);
}
