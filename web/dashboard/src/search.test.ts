import assert from 'node:assert/strict';
import { test } from 'node:test';
import { h } from 'preact';
import { type Clip, statesOf } from './clip.ts';
import { size } from './format.ts';
import { linkState } from './link-state.ts';
import { markup } from './markup.ts';
import { hasWords, marked, quotesOf, wordsOf } from './search.ts';

const clip = (fields: Partial<Clip>): Clip =>
  ({ note: null, reviewNote: null, questionText: null, transcriptText: null, ...fields }) as Clip;

test('words are highlighted in any letter case and are not patterns', () => {
  const html = (text: string, q: string) => markup(marked(text, wordsOf(q))).text;
  assert.equal(html('The Weather is good', 'weather GOOD'), 'The <mark>Weather</mark> is <mark>good</mark>');
  assert.equal(html('a.b a-b (c)', '.b (C)'), 'a<mark>.b</mark> a-b <mark>(c)</mark>');
  assert.equal(html('<b>x</b>', '<b>'), '<mark>&lt;b></mark>x&lt;/b>');
  assert.equal(html('no words', '  '), 'no words');
  assert.equal(wordsOf('1 2 3 4 5 6 7 8 9').length, 8);
});

test('a card quotes the match, and each note with a word', () => {
  const long = `${'before '.repeat(40)}needle${' after'.repeat(60)}`;
  const [quote, ...others] = quotesOf(clip({ transcriptText: long, note: 'nothing' }), ['needle']);
  assert.match(quote?.text ?? '', /^… (before )+needle( after)+.* …$/);
  assert.deepEqual(others, []);
  const notes = quotesOf(clip({ transcriptText: 'hay', note: 'a needle', reviewNote: 'needles' }), ['needle']);
  assert.deepEqual(
    notes.map(({ where }) => where),
    ['Note', 'Review note'],
  );
});

test('all texts are escaped in attributes and elements', () => {
  const link = h('a', { href: '"><script>', hidden: false, download: '' }, '<');
  assert.equal(markup(link).text, '<a href="&quot;>&lt;script>" download>&lt;</a>');
  assert.throws(() => markup(h('a b', null)), /not a valid HTML tag name/);
  assert.equal(markup(h('a', { 'x=': '' })).text, '<a></a>');
});

test('sizes and states are written in everyday words', () => {
  assert.deepEqual([0, 999, 1_000, 999_499, 999_500, 12_345_678, 2_500_000_000].map(size), [
    '0 bytes',
    '999 bytes',
    '1.0 KB',
    '999 KB',
    '1.0 MB',
    '12 MB',
    '2.5 GB',
  ]);
  const link = { status: 'active', remainingUses: 1, openedAt: null } as Parameters<typeof linkState>[0];
  assert.equal(linkState(link), 'Not opened yet');
  assert.equal(linkState({ ...link, openedAt: '2026-01-01T00:00:00.000Z' }), 'Opened, nothing sent yet');
  assert.equal(linkState({ ...link, remainingUses: 0 }), 'Recording now');
  assert.equal(linkState({ ...link, status: 'exhausted' }), 'Clip received');
  const fine = clip({
    mediaStatus: 'ready',
    transcriptStatus: 'completed',
    transcriptText: 'words',
    incomplete: false,
  });
  assert.deepEqual(statesOf(fine), []);
});

test('a clip has the words of a search if each occurs in any of its searched texts', () => {
  const fields = { transcriptText: 'the weather is good', reviewNote: 'Front page', questionText: '天気は？' };
  const has = (...words: string[]) => hasWords(clip(fields), words);
  assert.ok(has());
  assert.ok(has('WEATH', 'front', '天'));
  assert.ok(!has('weather', 'bad'));
  assert.ok(!has('.*'));
});
