import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clip, personFacts } from '../clip.ts';
import { markup } from '../markup.ts';
import { clipCard } from './clip-card.ts';

const clip = (fields: Partial<Clip>): Clip =>
  ({
    submissionId: 's1',
    createdAt: '2026-01-02T03:04:05.678Z',
    mediaStatus: 'ready',
    transcriptStatus: 'completed',
    transcriptText: 'words',
    audioUrl: 'https://rec.example/audio',
    ...fields,
  }) as Clip;
const html = (fields: Partial<Clip>, writes = false): string =>
  markup(clipCard(clip(fields), { here: '/project/p', words: [], writes, script: writes })).text;

test('the link, the star and the files of a clip have its own name', () => {
  const first = html({});
  assert.match(first, />Watch clip, 2026-01-02 03:04:05 UTC</);
  for (const kind of ['Video', 'Audio', 'Transcript'])
    assert.match(first, new RegExp(`aria-label="${kind}: clip, 2026-01-02 03:04:05 UTC"`));
  assert.match(html({ createdAt: '2026-01-02T03:04:06.000Z' }), />Watch clip, 2026-01-02 03:04:06 UTC</);
  assert.match(html({ questionText: 'Why?', questionIndex: 1 }), />Watch 2\. Why\?, 2026/);
  assert.match(html({}, true), />Select<span class="hidden-text"> clip, 2026-01-02 03:04:05 UTC</);
});

test('dates and other people’s texts have an isolated direction', () => {
  const card = html({ transcriptText: 'الطقس جميل', note: 'اتصل بي', questionText: 'كيف؟', questionIndex: 0 });
  assert.match(card, /<time datetime="[^"]+" dir="auto">/);
  assert.match(card, /<p class="quote" dir="auto">الطقس/);
  assert.match(card, /<p class="quote"><b>Note: <\/b><bdi>اتصل بي<\/bdi>/);
  assert.match(card, /<p class="question" dir="auto">1\. كيف؟/);
});

test('a card shows the person by name or reference, escaped', () => {
  const recipient = { name: '<b>A & "guest"</b>', reference: 'P-17', email: null, locale: null, verified: true };
  const named = html({ recipient }, true);
  assert.match(named, /<p class="recipient" dir="auto">&lt;b>A &amp; &quot;guest&quot;&lt;\/b><\/p>/);
  assert.match(named, />Watch clip by &lt;b>A &amp; &quot;guest&quot;&lt;\/b>, 2026/);
  assert.doesNotMatch(named, /<b>/);
  assert.match(html({ recipient: { ...recipient, name: null } }), /<p class="recipient" dir="auto">P-17</);
  assert.doesNotMatch(html({ recipient: null }), /recipient/);
});

test('the facts about a person say who stated the reference', () => {
  const recipient = { name: null, reference: 'P-17', email: 'guest@example.com', locale: null, verified: false };
  assert.deepEqual(personFacts({ recipient }), [
    ['Reference, as stated by the contributor', 'P-17'],
    ['Email', 'guest@example.com'],
  ]);
  assert.deepEqual(personFacts({ recipient: null }), []);
});
