import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SETTING_DEFAULTS } from '@recording-request/contract/project-settings';
import { SCOPES } from '@recording-request/contract/resources/fields';
import { rotateSecret, signingSecrets } from './project.ts';
import { checkExpiry, newSettings, trimmed } from './settings-rules.ts';
import { remainingVideos, tokenIsLive, unknownScopes } from './user.ts';

test('a title is trimmed, and without a shared link its uses are 0', () => {
  const given = { ...SETTING_DEFAULTS, projectName: ' x ' };
  assert.deepEqual(newSettings(given), { ...given, projectName: 'x', sharedLinkMaxUses: 0 });
  const shared = { ...given, sharedLinkEnabled: true };
  assert.equal(newSettings(shared).sharedLinkMaxUses, 100);
  assert.equal(newSettings({ ...shared, sharedLinkMaxUses: 7 }).sharedLinkMaxUses, 7);
  assert.deepEqual(trimmed({ projectName: '\tx' }), { projectName: 'x' });
  assert.deepEqual(trimmed({ noteEnabled: true }), { noteEnabled: true });
});

test('an expiry has its limits', () => {
  assert.throws(() => checkExpiry(0), /expiresIn/);
  assert.throws(() => checkExpiry(3_650 * 86_400 + 1), /ten years/);
  checkExpiry(3_650 * 86_400);
});

test('a rotated secret also signs until its overlap ends', () => {
  const until = new Date('2026-01-02T00:00:00Z');
  const before = new Date(until.getTime() - 1);
  const rotated = rotateSecret({ secret: 'old' }, 'new', until);
  assert.deepEqual(signingSecrets(rotated, before), ['new', 'old']);
  assert.deepEqual(signingSecrets(rotated, until), ['new']);
  assert.deepEqual(signingSecrets(rotateSecret({ secret: '' }, 'new', until), before), ['new']);
  assert.deepEqual(signingSecrets(rotateSecret({ secret: 'old' }, '', until), before), []);
});

test('an allowance below the reserved videos leaves 0', () => {
  assert.equal(remainingVideos({ videoLimit: null, videosReserved: 9 }), null);
  assert.equal(remainingVideos({ videoLimit: 10, videosReserved: 9 }), 1);
  assert.equal(remainingVideos({ videoLimit: 5, videosReserved: 9 }), 0);
});

test('a token is valid until it is revoked or expires', () => {
  const now = new Date();
  assert.equal(tokenIsLive({ expiresAt: null, revokedAt: null }, now), true);
  assert.equal(tokenIsLive({ expiresAt: now, revokedAt: null }, now), false);
  assert.equal(tokenIsLive({ expiresAt: null, revokedAt: now }, now), false);
  assert.deepEqual(unknownScopes(['links:read', 'links:write'], SCOPES), ['links:write']);
});
