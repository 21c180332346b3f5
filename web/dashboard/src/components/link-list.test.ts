import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DashboardLinksJson } from '@recording-request/contract/resources/dashboard';
import type { RecipientLinkJson, SharedRecipientLinkJson } from '@recording-request/contract/resources/link';
import { markup } from '../markup.ts';
import { linkRow, linksSection, sharedLink } from './link-list.ts';

const linkOf = (token: string) =>
  ({
    ...{ tokenId: 't1', token, recipientUrl: `https://clips.example/r/${token}`, status: 'active' },
    ...{ maxUses: 1, videosCreated: 0, remainingUses: 1, openedAt: null, submittedAt: null, expiresAt: null },
    qrCodePngUrl: 'https://clips.example/qr.png',
  }) as unknown as RecipientLinkJson & SharedRecipientLinkJson;

test('a link with a lost token has no URL to copy and no QR code', () => {
  const rendered = (token: string) =>
    [linkRow(linkOf(token), 0), sharedLink(linkOf(token), '/project/p')].map(part => markup(part).text);
  for (const html of rendered('vr_1')) assert.match(html, /data-copy="https:\/\/clips\.example\/r\/vr_1"/);
  for (const html of rendered('')) {
    assert.match(html, /cannot be shown any more/);
    assert.doesNotMatch(html, /data-copy|qr\.png|href/);
  }
});

test('a partial interview shows the number of answers, and counts as received only when it is complete', () => {
  const state = (link: Partial<RecipientLinkJson>, questionCount = 3) =>
    /<span class="state (\w+)">([^<]+)</
      .exec(markup(linkRow({ ...linkOf('vr_1'), ...link }, questionCount)).text)
      ?.slice(1)
      .join(': ');
  const begun = { status: 'exhausted', remainingUses: 0, submissionCount: 1, completedAt: null } as const;
  assert.equal(state(begun), 'calm: 1 of 3 answers');
  assert.equal(
    state({ ...begun, submissionCount: 2 }, 2),
    'calm: 2 answers so far',
    'the response began with more questions',
  );
  assert.equal(state({ ...begun, status: 'disabled' }), 'over: Closed with 1 of 3 answers');
  const complete = { ...begun, submissionCount: 3, completedAt: '2026-01-01T00:00:00.000Z' };
  assert.equal(state(complete), 'good: Clip received');
  assert.equal(state({ ...begun, status: 'active', submissionCount: 0 }), 'calm: Recording now');
});

test('a personal link shows its reminders, if there were any', () => {
  const hint = (remindersSent: number, remindersStopped: boolean) =>
    /<p class="hint">([^<]+)</.exec(
      markup(linkRow({ ...linkOf('vr_1'), remindersSent, remindersStopped }, 0)).text,
    )?.[1];
  assert.equal(hint(0, false), undefined);
  assert.equal(hint(1, false), '1 reminder sent');
  assert.equal(hint(2, true), '2 reminders sent, then stopped');
  assert.equal(hint(0, true), 'Reminders stopped');
});

test('the filters of an interview separate begun ones from complete ones', () => {
  const links = {
    recipientUrls: [],
    sharedLink: null,
    pagination: { nextCursor: null },
  } as unknown as DashboardLinksJson;
  const filters = (questionCount: number) =>
    [...markup(linksSection(links, '/project/p', questionCount)).text.matchAll(/<option[^>]*>([^<]+)</g)].map(
      match => match[1],
    );
  assert.deepEqual(filters(0), ['All', 'Open', 'Clip received', 'Expired', 'Closed']);
  assert.deepEqual(filters(3), ['All', 'Open', 'Some answers received', 'All answers received', 'Expired', 'Closed']);
});
