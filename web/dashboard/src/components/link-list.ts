import type { DashboardLinksJson } from '@recording-request/contract/resources/dashboard';
import type { RecipientLinkJson, SharedRecipientLinkJson } from '@recording-request/contract/resources/link';
import { type ComponentChildren, h } from 'preact';
import { isBegun, linkState, reminderState, sharedLinkState } from '../link-state.ts';
import { time } from './time.ts';

const KINDS: Record<RecipientLinkJson['status'], string> = {
  active: 'calm',
  exhausted: 'good',
  expired: 'over',
  disabled: 'over',
};

const kindOf = (link: RecipientLinkJson): string =>
  link.status !== 'disabled' && isBegun(link) ? KINDS.active : KINDS[link.status];

/** Returns whether the link's URL is lost, because the operator has lost the key of its token. */
export const isLost = ({ token }: Pick<RecipientLinkJson, 'token'>): boolean => token === '';
const LOST = 'Its address cannot be shown any more.';

/** Renders a personal link as a row of the table. */
export function linkRow(link: RecipientLinkJson, questionCount: number): ComponentChildren {
  const reminders = reminderState(link);
  return h(
    'tr',
    { key: link.tokenId, 'data-link': link.tokenId },
    h('td', { class: 'address' }, isLost(link) ? LOST : address(link.recipientUrl)),
    h(
      'td',
      { 'data-name': 'Status' },
      h('span', { class: `state ${kindOf(link)}` }, linkState(link, questionCount)),
      reminders && h('p', { class: 'hint' }, reminders),
    ),
    h('td', { 'data-name': 'Opened' }, link.openedAt ? time(link.openedAt) : '–'),
    h('td', { 'data-name': 'Sent' }, link.submittedAt ? time(link.submittedAt) : '–'),
    h('td', { class: 'do' }, isLost(link) ? undefined : copyButton(link.recipientUrl)),
  );
}

const short = (url: string): string => url.replace(/^https?:\/\//, '');

const address = (url: string): ComponentChildren =>
  h('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, short(url));

const copyButton = (url: string): ComponentChildren =>
  h(
    'button',
    { type: 'button', class: 'small needs-script', 'data-copy': url, 'aria-label': `Copy personal link ${short(url)}` },
    'Copy',
  );

/** Renders the shared link, with its QR code. */
export const sharedLink = (link: SharedRecipientLinkJson, here: string): ComponentChildren =>
  isLost(link)
    ? h('div', { class: 'shared' }, h('h3', null, 'One link for everyone'), h('p', null, LOST))
    : knownSharedLink(link, here);

const knownSharedLink = (link: SharedRecipientLinkJson, here: string): ComponentChildren => [
  h(
    'div',
    { class: 'shared' },
    h('h3', null, 'One link for everyone'),
    h('p', { class: 'big-address' }, address(link.recipientUrl)),
    h('p', null, h('span', { class: `state ${KINDS[link.status]}` }, sharedLinkState(link))),
    h(
      'p',
      { class: 'buttons' },
      h(
        'button',
        {
          type: 'button',
          class: 'primary needs-script',
          'data-copy': link.recipientUrl,
          'aria-label': 'Copy link for everyone',
        },
        'Copy link',
      ),
      h('a', { class: 'button', href: `${here}/shared-link/qr.png`, download: 'recording-link.png' }, 'Save QR code'),
    ),
  ),
  h(
    'div',
    { class: 'qr' },
    h('img', {
      src: `${here}/shared-link/qr.png`,
      alt: 'QR code for the shared link',
      width: 176,
      height: 176,
      loading: 'lazy',
    }),
    h('p', null, 'Scan with a phone to record.'),
  ),
];

type Filter = [query: string, name: string];
const RECEIVED: Filter[] = [['status=exhausted', 'Clip received']];
const ANSWERED: Filter[] = [
  ['status=exhausted&complete=false', 'Some answers received'],
  ['status=exhausted&complete=true', 'All answers received'],
];
/** Returns the filters with their queries. A begun interview does not count as received. */
const filters = (questionCount: number): Filter[] => [
  ['', 'All'],
  ['status=active', 'Open'],
  ...(questionCount > 1 ? ANSWERED : RECEIVED),
  ['status=expired', 'Expired'],
  ['status=disabled', 'Closed'],
];
const COLUMNS: ComponentChildren[] = [
  'Link',
  'Status',
  'Opened',
  'Clip sent',
  h('span', { class: 'hidden-text' }, 'Copy'),
];

/** Renders all links of the project, before the script runs. */
export function linksSection(links: DashboardLinksJson, here: string, questionCount: number): ComponentChildren {
  const { sharedLink: shared, recipientUrls } = links;
  const { nextCursor } = links.pagination;
  return h(
    'section',
    { id: 'links', tabindex: -1, 'aria-labelledby': 'links-title' },
    h('h2', { id: 'links-title' }, 'Links'),
    h('div', { id: 'shared', class: 'shared-box', hidden: !shared }, shared && sharedLink(shared, here)),
    h(
      'div',
      { class: 'link-head' },
      h('h3', { id: 'personal-title' }, 'Personal links'),
      h(
        'div',
        { class: 'choices needs-script' },
        h('label', { class: 'hidden-text', for: 'link-status' }, 'Filter links by status'),
        h(
          'select',
          { id: 'link-status' },
          filters(questionCount).map(([value, name]) => h('option', { value }, name)),
        ),
        h('button', { id: 'copy-links', type: 'button', class: 'small' }, 'Copy all'),
      ),
    ),
    h(
      'p',
      { class: 'hint' },
      'Each link is for one person. Send everyone their own link, and you can see here who has responded.',
    ),
    h('p', { id: 'links-empty', class: 'empty', hidden: true }, 'No personal links have this status.'),
    h(
      'table',
      { class: 'links', 'aria-labelledby': 'personal-title' },
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          COLUMNS.map(name => h('th', { scope: 'col' }, name)),
        ),
      ),
      h(
        'tbody',
        { id: 'link-rows' },
        recipientUrls.map(link => linkRow(link, questionCount)),
      ),
    ),
    h(
      'p',
      { id: 'links-newer', class: 'more', hidden: true },
      h('button', { type: 'button' }, 'Back to the first links'),
    ),
    h('p', { id: 'links-problem', class: 'warning', role: 'alert', hidden: true }),
    h(
      'p',
      { id: 'more-links', class: 'more', hidden: nextCursor === null },
      h('button', { type: 'button', class: 'needs-script', 'data-cursor': nextCursor ?? '' }, 'Show more links'),
    ),
    nextCursor !== null && h('noscript', null, h('p', null, 'The JSON download has all the links.')),
  );
}
