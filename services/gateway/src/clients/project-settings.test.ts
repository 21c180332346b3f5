import assert from 'node:assert/strict';
import { test } from 'node:test';
import { creationOf, updateOf } from './project-settings.ts';

const DEFAULT = 999;
const least = { projectName: ' A ', count: 2 };

test('a creation with only required fields gets the defaults', () => {
  const { settings, count, expiresInSeconds, webhookSecret } = creationOf(least, DEFAULT);
  assert.equal(settings?.maxDurationSec, 120);
  assert.deepEqual(settings?.webhookEvents, []);
  assert.equal(settings?.sharedLinkEnabled, false);
  assert.equal(settings?.sharedLinkMaxUses, 100);
  assert.deepEqual([count, expiresInSeconds, webhookSecret], [2, DEFAULT, '']);
});

const WINDOWS: [window: object, seconds: number | undefined][] = [
  [{}, DEFAULT],
  [{ neverExpire: false }, DEFAULT],
  [{ neverExpire: true, expiresInHours: 1, expiresInDays: 1 }, undefined],
  [{ neverExpire: false, expiresInHours: 1, expiresInDays: 2 }, 3_600],
  [{ expiresInDays: 2 }, 172_800],
];
for (const [window, seconds] of WINDOWS) {
  test(`the expiry of ${JSON.stringify(window)}`, () => {
    assert.equal(creationOf({ ...least, ...window }, DEFAULT).expiresInSeconds, seconds);
    const expected =
      seconds === undefined ? { $case: 'neverExpire', value: true } : { $case: 'expiresInSeconds', value: seconds };
    assert.deepEqual(updateOf(window, DEFAULT).expiry, Object.keys(window).length === 0 ? undefined : expected);
  });
}

test('a sandbox has short clips by default', () => {
  const durationOf = (body: object) => creationOf({ ...least, ...body }, DEFAULT).settings?.maxDurationSec;
  assert.equal(durationOf({}), 120);
  assert.equal(durationOf({ sandbox: true }), 15);
  assert.equal(durationOf({ sandbox: true, maxDurationSec: 10 }), 10);
  assert.equal(durationOf({ sandbox: true, maxDurationSec: 60 }), 60, 'the projects service refuses it');
});

test('an update changes only the fields that it names', () => {
  const body = { projectName: 'B', interviewQuestions: [], webhookUrl: '', expiresInDays: undefined };
  const { settings, webhookSecret, expiry } = updateOf(body, DEFAULT);
  assert.deepEqual(settings?.names.sort(), ['interviewQuestions', 'projectName', 'webhookUrl']);
  assert.equal(settings?.values?.projectName, 'B');
  assert.deepEqual([webhookSecret, expiry], [undefined, undefined]);
});
