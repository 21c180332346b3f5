import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { brandOf } from '@recording-request/web-shared/brand';
import { recorderAssets } from './assets.ts';
import { renderRecorder } from './document.ts';
import { LANGUAGES } from './languages.ts';
import { recorderPage } from './page.ts';

const BUDGET_BYTES = 32 * 1024;

test('the first view (document and script) is small in every language, also with the longest questions', t => {
  const { style, scriptName, scripts } = recorderAssets();
  const script = scripts.get(scriptName)!;
  const brand = brandOf({ brandAccent: '#0b6b74', brandName: '', brandLogo: undefined });
  const settings = {
    projectName: 'How was your first week?',
    maxDurationSec: 120,
    interviewQuestions: ['What made you join us?', 'What would you tell somebody who starts tomorrow?'],
    noteEnabled: true,
    requireTerms: true,
    termsLabel: '',
    termsText: 'We use your video inside our team only, and delete it when you ask us to.',
    requestUrl: 'https://example.org/brief',
    showSuccessDialog: true,
    successMessage: '',
    acceptReference: false,
    sandbox: true,
    answerModes: ['video' as const, 'audio' as const, 'file' as const],
    script: '- One',
  };
  // Questions of the longest kind, without words that repeat.
  const longest = Array.from({ length: 50 }, () => randomBytes(375).toString('base64'));
  const invitation = { recipientName: 'Ada', dueAt: new Date('2099-03-20T17:00:00Z') };
  const cases = [settings, { ...settings, interviewQuestions: longest }].flatMap(settings =>
    [...LANGUAGES.values()].map(language => ({ settings, language })),
  );
  for (const { settings, language } of cases) {
    const page = recorderPage({ settings, invitation, shared: false, status: 'active', language, brand });
    const { html } = renderRecorder({ style, scriptName, brand }, page);
    const size = gzipSync(html).length + script.gzip.length;
    t.diagnostic(
      `${language.code}, ${settings.interviewQuestions.length} questions: ${size} of at most ${BUDGET_BYTES} bytes`,
    );
    assert.ok(size <= BUDGET_BYTES, `${language.code}: ${size} bytes`);
    assert.equal(
      html.match(/<script[^>]+src=|<link[^>]+href="(?!data:)|<img[^>]+src=/g)?.length,
      1,
      'a separate request',
    );
  }
});
