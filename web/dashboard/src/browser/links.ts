import { LIMITS } from '@recording-request/contract/limits';
import type { DashboardLinksJson } from '@recording-request/contract/resources/dashboard';
import type { RecipientLinkJson } from '@recording-request/contract/resources/link';
import { pagePath } from '@recording-request/web-shared/browser/page';
import { announce, showText } from '@recording-request/web-shared/browser/texts';
import { render } from 'preact';
import { isLost, linkRow, sharedLink } from '../components/link-list.ts';
import { count } from '../format.ts';
import { LINKS_PAGE_SIZE } from '../settings.ts';
import { get, Poller, sentenceOf, settings } from './api.ts';
import { copyFrom, onClickOf } from './clicks.ts';
import { elements } from './elements.ts';

// The table of links. Its pages have at most ROWS_MAX rows in total.

const ROWS_MAX = 1_000;

const { linkRows, linkStatus, linksProblem, linksNewer, moreLinks, copyLinks } = elements;
/** Returns the query value of the chosen filter. */
const status = (): string => linkStatus.value;
const moreButton = (): HTMLButtonElement => moreLinks.querySelector('button') as HTMLButtonElement;

const pathTo = (more: Record<string, string>, state = status()): string => {
  const query = new URLSearchParams({
    limit: String(LINKS_PAGE_SIZE),
    ...more,
    ...Object.fromEntries(new URLSearchParams(state)),
  });
  return `/links?${query}`;
};
const load = (more: Record<string, string>, state?: string): Promise<DashboardLinksJson> => get(pathTo(more, state));
const poller = new Poller();

// The server rendered the first rows, and the page does not have their full data. So each row is created and replaced
// separately.
function rowsOf(links: RecipientLinkJson[]): Element[] {
  const { questionCount } = settings.overview.project;
  const rows = document.createElement('tbody');
  render(
    links.map(link => linkRow(link, questionCount)),
    rows,
  );
  return [...rows.children];
}

function showCursor(next: string | null): void {
  moreLinks.hidden = next === null;
  moreButton().dataset.cursor = next ?? '';
}

function show(page: DashboardLinksJson, instead: boolean): void {
  poller.forget();
  if (instead) linkRows.replaceChildren();
  linkRows.append(...rowsOf(page.recipientUrls));
  showCursor(page.pagination.nextCursor);
  elements.linksEmpty.hidden = linkRows.childElementCount > 0;
}

let first = true;

async function narrow(): Promise<void> {
  first = true;
  linkRows.setAttribute('aria-busy', 'true');
  try {
    show(await load({}), true);
    linksNewer.hidden = true;
    showText(linksProblem, '');
  } catch (error) {
    showText(linksProblem, `The links could not be loaded. ${sentenceOf(error)}`);
  } finally {
    linkRows.removeAttribute('aria-busy');
  }
}

async function more(): Promise<void> {
  const { cursor } = moreButton().dataset;
  if (!cursor || moreButton().getAttribute('aria-busy')) return;
  moreButton().setAttribute('aria-busy', 'true');
  try {
    const page = await load({ cursor });
    const full = linkRows.childElementCount >= ROWS_MAX;
    if (full) first = false;
    show(page, full);
    linksNewer.hidden = first;
    if (full) elements.links.scrollIntoView();
    showText(linksProblem, '');
  } catch (error) {
    showText(linksProblem, `More links could not be loaded. ${sentenceOf(error)}`);
  } finally {
    moreButton().removeAttribute('aria-busy');
  }
}

/** Returns every URL in the selected state, one per line. */
async function allAddresses(): Promise<string[]> {
  const urls: string[] = [];
  const state = status();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: DashboardLinksJson = await load(
      { limit: String(LIMITS.linkPageSize), ...(cursor && { cursor }) },
      state,
    );
    urls.push(...page.recipientUrls.filter(link => !isLost(link)).map(({ recipientUrl }) => recipientUrl));
    cursor = page.pagination.nextCursor;
  }
  return urls;
}

/** Refreshes the shared link and the first rows while they are visible. */
export async function refreshLinks(): Promise<void> {
  if (elements.links.hidden) {
    stale = true;
    return;
  }
  stale = false;
  const page = await poller.poll<DashboardLinksJson>(pathTo({}));
  if (!page) return;
  if (page.sharedLink) render(sharedLink(page.sharedLink, pagePath), elements.shared);
  for (const link of page.recipientUrls) {
    const row = linkRows.querySelector(`[data-link="${link.tokenId}"]`);
    const [fresh] = rowsOf([link]);
    // Keeps a row whose button has the focus or shows that it copied the URL.
    if (row && fresh && row.textContent !== fresh.textContent && !row.contains(document.activeElement))
      row.replaceWith(fresh);
  }
}

let stale = false;

/** Handles the opening of the section. */
export function linksShown(): void {
  if (stale) void refreshLinks().catch(() => {});
}

export function wireLinks(): void {
  onClickOf('data-copy', button => copyFrom(button, button.dataset.copy ?? ''));
  linkStatus.addEventListener('change', () => void narrow());
  linksNewer.addEventListener('click', () => void narrow());
  moreButton().addEventListener('click', () => void more());
  copyLinks.addEventListener('click', async () => {
    copyLinks.setAttribute('aria-busy', 'true');
    try {
      const urls = await allAddresses();
      await copyFrom(copyLinks, urls.join('\n'), `${count(urls.length, 'link')} copied`);
    } catch (error) {
      announce(`Not copied. ${sentenceOf(error)}`);
      showText(linksProblem, `The links could not be copied. ${sentenceOf(error)}`);
    } finally {
      copyLinks.removeAttribute('aria-busy');
    }
  });
}
