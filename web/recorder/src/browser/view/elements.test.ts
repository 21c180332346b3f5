import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '@recording-request/web-shared/brand';
import { idOf } from '@recording-request/web-shared/browser/elements';
import { chooseLanguage } from '../../languages.ts';
import { recorderPage } from '../../page.ts';
import type { RecorderProject } from '../../project.ts';
import { ELEMENTS, OPTIONAL } from './elements.ts';
import { createTexts, sentences } from './text.ts';

const PROJECT: RecorderProject = {
  projectName: 'Stories',
  maxDurationSec: 120,
  interviewQuestions: [],
  noteEnabled: false,
  requireTerms: false,
  termsLabel: '',
  termsText: '',
  requestUrl: '',
  showSuccessDialog: false,
  successMessage: '',
  acceptReference: false,
  sandbox: false,
  answerModes: ['video', 'file'],
  script: '',
};
const brand = brandOf({ brandAccent: '#0b6b74', brandName: '', brandLogo: undefined });
const language = chooseLanguage('en', undefined);

const page = (settings: RecorderProject, status: 'active' | 'expired') =>
  recorderPage({ settings, shared: false, status, language, brand }).body.text;

const missing = (html: string, tags: Record<string, string>) =>
  Object.entries(tags).filter(
    ([name, tag]) => !new RegExp(`<${tag}\\b[^>]* id="${idOf(name)}"`).test(html.replaceAll(/<(\w+) id=/g, '<$1  id=')),
  );

test('every page with the script has every element that it needs', () => {
  for (const status of ['active', 'expired'] as const) assert.deepEqual(missing(page(PROJECT, status), ELEMENTS), []);
  const all = page({ ...PROJECT, noteEnabled: true, requireTerms: true }, 'expired');
  assert.deepEqual(missing(all, { ...ELEMENTS, ...OPTIONAL }), []);
});

test('texts are filled and joined as sentences', () => {
  const { t, say, megabytes, percent } = createTexts({ lang: 'de', texts: { left: 'noch {time}' } });
  assert.equal(t('left', { time: '1:00' }), 'noch 1:00');
  assert.equal(say(undefined), '');
  assert.equal(megabytes(1_250_000), '1,3');
  assert.equal(percent(100), '100\u00a0%', 'not on two lines');
  const inLanguage = (lang: string) => createTexts({ lang, texts: {} }).percent(85);
  assert.deepEqual([inLanguage('en'), inLanguage('tr'), inLanguage('ja')], ['85%', '%85', '85%']);
  assert.equal(
    sentences(['Your video has arrived', 'You can close this page.']),
    'Your video has arrived. You can close this page.',
  );
  assert.equal(sentences(['Time’s up.', 'Not sent yet.']), 'Time’s up. Not sent yet.');
});
