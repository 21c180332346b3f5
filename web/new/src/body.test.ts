import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProjectChecks } from '@recording-request/contract/project-checks';
import { SETTING_DEFAULTS } from '@recording-request/contract/project-settings';
import { creationBody, EMPTY } from './body.ts';

const { creation } = createProjectChecks({ allowHttpUrls: false });

test('an empty form with a name asks for one link', () => {
  assert.deepEqual(creationBody({ ...EMPTY, projectName: 'Stories' }), {
    projectName: 'Stories',
    count: 1,
  });
});

test('each person gets a link, and other links come on top', () => {
  const people = [{ name: 'Ada' }, { name: 'Grace' }];
  assert.equal(creationBody({ ...EMPTY, people }).count, 2);
  assert.equal(creationBody({ ...EMPTY, people, otherLinks: '3' }).count, 5);
});

test('the contract accepts the body of a form with every field', () => {
  const body = creationBody({
    projectName: 'Stories',
    interviewQuestions: 'Who are you?\n\n  What do you do? \n',
    requestUrl: 'https://example.org/brief',
    people: [{ name: 'Ada', email: 'ada@example.org' }],
    otherLinks: '2',
    sharedLinkEnabled: true,
    sharedLinkMaxUses: '9',
    maxDurationSec: '60',
    noteEnabled: true,
    transcriptionEnabled: true,
    transcriptionLanguage: 'de',
    expiresInDays: '7',
    neverExpire: false,
    remindAfterDays: '3, 7',
    requireTerms: true,
    termsLabel: 'I agree.',
    termsText: 'Be kind.',
    successMessage: 'Thank you.',
    returnUrl: 'https://example.org/done',
    webhookUrl: 'https://example.org/hook',
    webhookSecret: 'a secret that is long enough',
    retentionDays: '90',
    sandbox: true,
  });
  assert.equal(creation(body), undefined);
  assert.deepEqual(body.interviewQuestions, ['Who are you?', 'What do you do?']);
  assert.deepEqual(body.remind, { afterDays: [3, 7] });
  assert.equal(body.showSuccessDialog, true);
});

test('a number that is none reaches the API, which names the field', () => {
  assert.match(creation(creationBody({ ...EMPTY, projectName: 'x', maxDurationSec: 'two' })) ?? '', /^maxDurationSec /);
  assert.match(creation(creationBody({ ...EMPTY, projectName: 'x', otherLinks: 'two' })) ?? '', /^count /);
});

test('the form begins with the defaults of the API', () => {
  for (const [name, value] of Object.entries(EMPTY))
    if (name in SETTING_DEFAULTS && typeof value !== 'object' && name !== 'interviewQuestions')
      assert.equal(String(value), String(SETTING_DEFAULTS[name as keyof typeof SETTING_DEFAULTS]), name);
});
