import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecipientLinkJson, SharedRecipientLinkJson } from '@recording-request/contract/resources/link';
import { markup } from '../markup.ts';
import { linkRow, sharedLink } from './link-list.ts';

const linkOf = (token: string) =>
  ({
    ...{ tokenId: 't1', token, recipientUrl: `https://clips.example/r/${token}`, status: 'active' },
    ...{ maxUses: 1, videosCreated: 0, remainingUses: 1, openedAt: null, submittedAt: null, expiresAt: null },
    qrCodePngUrl: 'https://clips.example/qr.png',
  }) as unknown as RecipientLinkJson & SharedRecipientLinkJson;

test('a link whose address nobody can tell any more has none to copy, nor a QR code', () => {
  const rendered = (token: string) =>
    [linkRow(linkOf(token)), sharedLink(linkOf(token), '/project/p')].map(part => markup(part).text);
  for (const html of rendered('vr_1')) assert.match(html, /data-copy="https:\/\/clips\.example\/r\/vr_1"/);
  for (const html of rendered('')) {
    assert.match(html, /cannot be shown any more/);
    assert.doesNotMatch(html, /data-copy|qr\.png|href/);
  }
});
