import type { RecipientLinkJson, SharedRecipientLinkJson } from '@recording-request/contract/resources/link';
import { el, type Tree } from './tree.ts';
import { linkState, sharedLinkState, time } from './words.ts';

const KINDS: Record<RecipientLinkJson['status'], string> = {
  active: 'calm',
  exhausted: 'good',
  expired: 'over',
  disabled: 'over',
};

/** One personal link: a row of the table. */
export const linkRow = (link: RecipientLinkJson): Tree =>
  el(
    'tr',
    { 'data-link': link.tokenId },
    el('td', { class: 'address' }, address(link.recipientUrl)),
    el('td', { 'data-name': 'State' }, el('span', { class: `state ${KINDS[link.status]}` }, linkState(link))),
    el('td', { 'data-name': 'Opened' }, link.openedAt ? time(link.openedAt) : '–'),
    el('td', { 'data-name': 'Sent' }, link.submittedAt ? time(link.submittedAt) : '–'),
    el('td', { class: 'do' }, copyButton(link.recipientUrl)),
  );

const short = (url: string): string => url.replace(/^https?:\/\//, '');

const address = (url: string): Tree => el('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, short(url));

const copyButton = (url: string): Tree =>
  el(
    'button',
    { type: 'button', class: 'small needs-script', 'data-copy': url, 'aria-label': `Copy personal link ${short(url)}` },
    'Copy',
  );

/** The link for everybody, with its QR code. */
export const sharedLink = (link: SharedRecipientLinkJson, here: string): Tree => [
  el(
    'div',
    { class: 'shared' },
    el('h3', {}, 'One link for everybody'),
    el('p', { class: 'big-address' }, address(link.recipientUrl)),
    el('p', {}, el('span', { class: `state ${KINDS[link.status]}` }, sharedLinkState(link))),
    el(
      'p',
      { class: 'buttons' },
      el(
        'button',
        {
          type: 'button',
          class: 'primary needs-script',
          'data-copy': link.recipientUrl,
          'aria-label': 'Copy the link for everybody',
        },
        'Copy the link',
      ),
      el(
        'a',
        { class: 'button', href: `${here}/shared-link/qr.png`, download: 'recording-link.png' },
        'Save the QR code',
      ),
    ),
  ),
  el(
    'div',
    { class: 'qr' },
    el('img', {
      src: `${here}/shared-link/qr.png`,
      alt: 'QR code of the shared link',
      width: 176,
      height: 176,
      loading: 'lazy',
    }),
    el('p', {}, 'Point a phone at it to record.'),
  ),
];
