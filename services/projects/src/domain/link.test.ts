import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimRefusal, linkState, NO_END, remainingUses } from './link.ts';
import { linkStats, NO_LINKS } from './link-stats.ts';

const now = new Date('2026-01-02T00:00:00Z');
const past = { expiresAt: new Date('2026-01-01T00:00:00Z') };
const future = { expiresAt: new Date('2026-01-03T00:00:00Z') };
const closed = { ...future, closedAt: past.expiresAt };
const link = { maxUses: 2, claimed: 0, landed: 0, disabled: false };

test('the state is the first of disabled, exhausted, expired, active that applies', () => {
  const exhausted = { ...link, landed: 2 };
  assert.equal(linkState({ ...exhausted, disabled: true }, past, now), 'disabled');
  assert.equal(linkState(exhausted, past, now), 'exhausted');
  assert.equal(linkState(link, past, now), 'expired');
  assert.equal(linkState(link, { expiresAt: now }, now), 'expired');
  assert.equal(linkState(link, future, now), 'active');
  assert.equal(linkState(link, NO_END, now), 'active');
  assert.equal(linkState(link, closed, now), 'expired');
  assert.equal(linkState(exhausted, closed, now), 'exhausted');
  assert.equal(linkState({ ...link, claimed: 2 }, NO_END, now), 'active', 'claimed is not landed');
});

test('remaining uses ignore the expiry and are never negative', () => {
  assert.equal(remainingUses({ maxUses: 5, claimed: 1, landed: 2 }), 2);
  assert.equal(remainingUses({ maxUses: 1, claimed: 1, landed: 1 }), 0);
});

test('a claim is refused with the reason that the contributor needs', () => {
  assert.equal(claimRefusal(link, future, now), undefined);
  assert.equal(claimRefusal({ ...link, claimed: 1, landed: 1 }, future, now), 'busy');
  assert.equal(claimRefusal({ ...link, landed: 2 }, future, now), 'exhausted');
  assert.equal(claimRefusal(link, past, now), 'expired');
  assert.equal(claimRefusal(link, NO_END, now), undefined, 'for a response that began before the expiry');
  assert.equal(claimRefusal(link, closed, now), 'closed');
  assert.equal(claimRefusal({ ...link, landed: 2 }, closed, now), 'exhausted');
  assert.equal(claimRefusal({ ...link, disabled: true }, NO_END, now), 'disabled');
});

test('the stats of expired links have capacity and nothing remaining', () => {
  const unique = { links: 3, capacity: 3, used: 1, open: 2 };
  const shared = { links: 1, capacity: 10, used: 4, open: 6 };
  assert.deepEqual(linkStats(unique, shared, future, now), {
    uniqueLinksTotal: 3,
    uniqueLinksRemaining: 2,
    sharedLinksTotal: 1,
    sharedUsesRemaining: 6,
    totalResponseCapacity: 13,
    responseSlotsUsed: 5,
    responseSlotsRemaining: 8,
  });
  const expired = linkStats(unique, NO_LINKS, past, now);
  assert.equal(expired.responseSlotsRemaining, 0);
  assert.equal(expired.totalResponseCapacity, 3);
  assert.equal(expired.sharedLinksTotal, 0);
  assert.equal(linkStats(unique, NO_LINKS, closed, now).responseSlotsRemaining, 0);
});
