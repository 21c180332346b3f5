import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TRANSCRIPTION_LANGUAGE_RULE, TRANSCRIPTION_LANGUAGES } from '@recording-request/contract/languages';
import { DEFAULTS, LIMITS } from '@recording-request/contract/limits';
import { SCOPES } from '@recording-request/contract/resources/fields';
import { isWebhookSecret, WEBHOOK_SECRET_RULE } from '@recording-request/contract/webhook-secret';
import { DomainError } from '@recording-request/kit/errors';
import { rotateSecret, type Settings, signingSecrets } from './project.ts';
import { checkCount, checkExpiry, checkedSettings, checkSecret, type SettingsRules } from './settings-rules.ts';
import { remainingVideos, tokenIsLive, unknownScopes } from './user.ts';

const rules: SettingsRules = {
  limits: LIMITS,
  defaults: DEFAULTS,
  allowHttp: false,
  webhookEvents: ['response.completed', 'submission.erased'],
  webhookSecret: { isValid: isWebhookSecret, sentence: WEBHOOK_SECRET_RULE },
  languages: { codes: TRANSCRIPTION_LANGUAGES, sentence: TRANSCRIPTION_LANGUAGE_RULE },
};
const broken = (settings: Partial<Settings>, allowHttp = false) => {
  try {
    checkedSettings(settings, { ...rules, allowHttp });
  } catch (error) {
    if (error instanceof DomainError && error.code === 'invalid') return error.message;
    throw error;
  }
  return undefined;
};

test('each limit holds at its edge, and the sentence names the field', () => {
  const edges: [keyof Settings, unknown, unknown][] = [
    ['projectName', 'x'.repeat(200), 'x'.repeat(201)],
    ['projectName', ' x ', '   '],
    ['maxDurationSec', 600, 601],
    ['maxDurationSec', 1, 0],
    ['sharedLinkMaxUses', 1_000_000, 1_000_001],
    ['sharedLinkMaxUses', null, 0],
    ['termsLabel', 'x'.repeat(200), 'x'.repeat(201)],
    ['termsText', 'x'.repeat(20_000), 'x'.repeat(20_001)],
    ['successMessage', 'x'.repeat(2_000), 'x'.repeat(2_001)],
    ['interviewQuestions', Array(50).fill('Q'), Array(51).fill('Q')],
    ['interviewQuestions', ['x'.repeat(500)], ['x'.repeat(501)]],
    ['interviewQuestions', [], ['']],
    ['transcriptionLanguage', 'de', 'xx'],
    ['transcriptionLanguage', '', 'german'],
    ['requestUrl', 'https://example.org/a', 'http://example.org/a'],
    ['requestUrl', '', 'example.org'],
    ['webhookUrl', `https://example.org/${'x'.repeat(2_028)}`, `https://example.org/${'x'.repeat(2_029)}`],
    ['webhookUrl', 'https://[::1]/', 'javascript:alert(1)'],
    ['webhookUrl', 'https://example.org/%0d%0a', 'https://example.org\r\n/'],
    ['webhookUrl', 'https://example.org/a@b?c@d', 'https://user:secret@example.org/'],
    ['webhookUrl', 'https://example.org/%20', 'https://exam\tple.org/ '],
    ['webhookEvents', ['submission.erased', 'response.completed'], ['response.completed', 'response.completed']],
    ['webhookEvents', [], ['submission.completed']],
    ['requestUrl', 'https://user@example.org/', 'https://example.org/a b'],
    ['requestUrl', 'https://user:0@example.org/', 'https://example.org:0/'],
    ['webhookUrl', 'https://example.org:80/:0', 'https://example.org:00'],
    ['webhookUrl', 'https://example.org/%5C', 'https://example.org\\@example.com/'],
    ['projectName', 'two\twords', 'x\u0000'],
    ['termsLabel', 'a\nb', 'a\u0000b'],
    ['termsText', 'a\r\nb', '\u001b[31m'],
    ['successMessage', 'Grüße 🎬', '\u007f'],
    ['interviewQuestions', ['a\nb'], ['a\u0000']],
  ];
  for (const [field, good, bad] of edges) {
    assert.equal(broken({ [field]: good }), undefined, `${field} at its edge`);
    assert.match(broken({ [field]: bad }) ?? '', new RegExp(field));
  }
  assert.equal(broken({ termsLabel: '😀'.repeat(200) }), undefined, 'characters, not UTF-16 units');
  assert.equal(broken({ webhookUrl: 'http://127.0.0.1/' }, true), undefined);
  assert.match(broken({ webhookUrl: 'ftp://127.0.0.1/' }, true) ?? '', /webhookUrl/);
});

test('count, secret and expiry have their limits', () => {
  assert.throws(() => checkCount(0, rules), /count/);
  assert.throws(() => checkCount(10_001, rules), /10,000/);
  assert.throws(() => checkSecret('x'.repeat(513), rules), /webhookSecret/);
  assert.throws(() => checkSecret('whsec_!!!!', rules), /webhookSecret .* leave out whsec_\.$/);
  assert.throws(() => checkExpiry(0, rules), /expiresIn/);
  assert.throws(() => checkExpiry(3_650 * 86_400 + 1, rules), /ten years/);
  checkCount(10_000, rules);
  checkSecret('x'.repeat(512), rules);
  checkExpiry(3_650 * 86_400, rules);
});

test('a rotated secret signs beside the new one until its time is over', () => {
  const until = new Date('2026-01-02T00:00:00Z');
  const before = new Date(until.getTime() - 1);
  const rotated = rotateSecret({ secret: 'old' }, 'new', until);
  assert.deepEqual(signingSecrets(rotated, before), ['new', 'old']);
  assert.deepEqual(signingSecrets(rotated, until), ['new']);
  assert.deepEqual(signingSecrets(rotateSecret({ secret: '' }, 'new', until), before), ['new']);
  assert.deepEqual(signingSecrets(rotateSecret({ secret: 'old' }, '', until), before), []);
});

test('an allowance that was lowered below what is reserved leaves nothing, not less', () => {
  assert.equal(remainingVideos({ videoLimit: null, videosReserved: 9 }), null);
  assert.equal(remainingVideos({ videoLimit: 10, videosReserved: 9 }), 1);
  assert.equal(remainingVideos({ videoLimit: 5, videosReserved: 9 }), 0);
});

test('a token lives until it is revoked or its time comes', () => {
  const now = new Date();
  assert.equal(tokenIsLive({ expiresAt: null, revokedAt: null }, now), true);
  assert.equal(tokenIsLive({ expiresAt: now, revokedAt: null }, now), false);
  assert.equal(tokenIsLive({ expiresAt: null, revokedAt: now }, now), false);
  assert.deepEqual(unknownScopes(['links:read', 'links:write'], SCOPES), ['links:write']);
});
