import { LIMITS } from '@recording-request/contract/limits';
import type { DashboardLinksJson } from '@recording-request/contract/resources/dashboard';
import type { RecipientLinkJson } from '@recording-request/contract/resources/link';
import { linkRow, sharedLink } from '../link-list.ts';
import { LINKS_PAGE_SIZE } from '../settings.ts';
import { count } from '../words.ts';
import { get, here, sentenceOf } from './api.ts';
import { announce, build, byId, copyFrom, fill, localTimes, onClickOf, tell } from './dom.ts';

// The table of links: pages of them, at most ROWS_MAX in the page at once.

const ROWS_MAX = 1_000;

const status = (): string => byId<HTMLSelectElement>('link-status').value;
const moreButton = (): HTMLButtonElement => byId('more-links').querySelector('button') as HTMLButtonElement;

const load = (more: Record<string, string>, state = status()): Promise<DashboardLinksJson> => {
  const query = new URLSearchParams({ limit: String(LINKS_PAGE_SIZE), ...more });
  if (state) query.set('status', state);
  return get(`/links?${query}`);
};

function rowsOf(links: RecipientLinkJson[]): Node[] {
  const rows = build(links.map(linkRow));
  for (const row of rows) localTimes(row as Element);
  return rows;
}

function showCursor(next: string | null): void {
  byId('more-links').hidden = next === null;
  moreButton().dataset.cursor = next ?? '';
}

function show(page: DashboardLinksJson, instead: boolean): void {
  const rows = byId('link-rows');
  if (instead) rows.replaceChildren();
  rows.append(...rowsOf(page.recipientUrls));
  showCursor(page.pagination.nextCursor);
  byId('links-empty').hidden = rows.childElementCount > 0;
}

let first = true;

async function narrow(): Promise<void> {
  first = true;
  byId('link-rows').setAttribute('aria-busy', 'true');
  try {
    show(await load({}), true);
    byId('links-newer').hidden = true;
    tell('links-problem', '');
  } catch (error) {
    tell('links-problem', `The links could not be loaded. ${sentenceOf(error)}`);
  } finally {
    byId('link-rows').removeAttribute('aria-busy');
  }
}

async function more(): Promise<void> {
  const { cursor } = moreButton().dataset;
  if (!cursor || moreButton().getAttribute('aria-busy')) return;
  moreButton().setAttribute('aria-busy', 'true');
  try {
    const page = await load({ cursor });
    const full = byId('link-rows').childElementCount >= ROWS_MAX;
    if (full) first = false;
    show(page, full);
    byId('links-newer').hidden = first;
    if (full) byId('links').scrollIntoView();
    tell('links-problem', '');
  } catch (error) {
    tell('links-problem', `More links could not be loaded. ${sentenceOf(error)}`);
  } finally {
    moreButton().removeAttribute('aria-busy');
  }
}

/** Every address in the state that is looked at, one a line. */
async function allAddresses(): Promise<string[]> {
  const urls: string[] = [];
  const state = status();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: DashboardLinksJson = await load(
      { limit: String(LIMITS.linkPageSize), ...(cursor && { cursor }) },
      state,
    );
    urls.push(...page.recipientUrls.map(({ recipientUrl }) => recipientUrl));
    cursor = page.pagination.nextCursor;
  }
  return urls;
}

/** Brings the states of the shared link and of the first rows up to date, where somebody looks at them. */
export async function refreshLinks(): Promise<void> {
  if (byId('links').hidden) {
    stale = true;
    return;
  }
  stale = false;
  const page = await load({});
  if (page.sharedLink) refreshShared(page);
  for (const link of page.recipientUrls) {
    const row = byId('link-rows').querySelector(`[data-link="${link.tokenId}"]`);
    const [fresh] = rowsOf([link]);
    // A button that has the focus, or says that it copied, stays.
    if (row && fresh && row.textContent !== fresh.textContent && !row.contains(document.activeElement))
      row.replaceWith(fresh);
  }
}

let stale = false;

function refreshShared({ sharedLink: shared }: DashboardLinksJson): void {
  const state = byId('shared').querySelector('.state');
  const holder = document.createElement('div');
  fill(holder, shared ? sharedLink(shared, here) : null);
  const fresh = holder.querySelector('.state');
  if (state && fresh && state.textContent !== fresh.textContent) state.replaceWith(fresh);
}

/** The section is being looked at. */
export function linksShown(): void {
  if (stale) void refreshLinks().catch(() => {});
}

export function wireLinks(): void {
  onClickOf('data-copy', button => copyFrom(button, button.dataset.copy ?? ''));
  byId('link-status').addEventListener('change', () => void narrow());
  byId('links-newer').addEventListener('click', () => void narrow());
  moreButton().addEventListener('click', () => void more());
  byId('copy-links').addEventListener('click', async () => {
    const button = byId('copy-links');
    button.setAttribute('aria-busy', 'true');
    try {
      const urls = await allAddresses();
      await copyFrom(button, urls.join('\n'), `${count(urls.length, 'link')} copied`);
    } catch (error) {
      announce(`Not copied. ${sentenceOf(error)}`);
      tell('links-problem', `The links could not be copied. ${sentenceOf(error)}`);
    } finally {
      button.removeAttribute('aria-busy');
    }
  });
}
