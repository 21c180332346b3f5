import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, ownersBrand } from '@recording-request/web-shared/brand';
import { containedCount, facts, greeting, type Invited, linkPreview, questionCards } from './invitation.ts';
import { LANGUAGES } from './languages.ts';

const operator = brandOf({ brandAccent: '#0b6b74', brandName: 'Bits', brandLogo: undefined });
const nobody = brandOf({ brandAccent: '#0b6b74', brandName: '', brandLogo: undefined });
const bakery = ownersBrand(operator, { name: 'Bread & <b>Co</b>', accent: '', logo: undefined });
const english = LANGUAGES.get('en')!;
const now = new Date('2026-03-01T00:00:00Z');
const dueAt = new Date('2026-03-20T17:00:00Z');
const expiresAt = new Date('2026-04-01T09:00:00Z');

const invited = (changes: Partial<Invited> = {}, questions: string[] = []): Invited => ({
  settings: {
    projectName: 'Your "first" week',
    maxDurationSec: 120,
    interviewQuestions: questions,
    noteEnabled: false,
    requireTerms: false,
    termsLabel: '',
    termsText: '',
    requestUrl: '',
    showSuccessDialog: false,
    successMessage: '',
    acceptReference: false,
    answerModes: ['video', 'file'],
    script: '',
    sandbox: false,
  },
  invitation: { recipientName: 'Ada <i>', dueAt, expiresAt },
  language: english,
  brand: bakery,
  now,
  ...changes,
});
const textOf = (html: { text: string }) =>
  html.text
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

test('every fact is shown and escaped; an absent fact leaves nothing', () => {
  assert.equal(textOf(greeting(invited())), 'Hello Ada &lt;i&gt; A request from Bread &amp; &lt;b&gt;Co&lt;/b&gt;');
  assert.equal(
    textOf(facts(invited())),
    'Your video goes to Bread &amp; &lt;b&gt;Co&lt;/b&gt; . They decide who else sees it. Please answer by March 20, 2026 at 5:00 PM UTC .',
  );
  const bare = invited({ invitation: {}, brand: nobody });
  assert.equal(greeting(bare).text.trim(), '');
  assert.match(textOf(facts(bare)), /^Your video goes to the people who sent you this link\. .*sees it\.$/);
  assert.equal(questionCards(bare, []), null);
  // The operator is named as the asker, but does not get the video.
  assert.match(textOf(greeting(invited({ brand: operator }))), /A request from Bits$/);
  assert.doesNotMatch(facts(invited({ brand: operator })).text, /Bits/);
});

test('the end is the deadline while it is ahead, or else the expiry', () => {
  const end = (invitation: Invited['invitation'], at = now) =>
    /(Please answer by|You can answer until).*?datetime="([^"]+)"/
      .exec(facts(invited({ invitation, now: at })).text)
      ?.slice(1);
  assert.deepEqual(end({ dueAt, expiresAt }), ['Please answer by', dueAt.toISOString()]);
  assert.deepEqual(end({ dueAt }), end({ dueAt, expiresAt }));
  const until = ['You can answer until', expiresAt.toISOString()];
  assert.deepEqual(end({ expiresAt }), until);
  assert.deepEqual(end({ dueAt, expiresAt }, new Date(dueAt.getTime() + 1)), until, 'a late answer is accepted');
  assert.deepEqual(end({ dueAt: new Date(expiresAt.getTime() + 1), expiresAt }), until, 'the link ends first');
  assert.equal(end({ dueAt }, new Date(dueAt.getTime() + 1)), undefined);
  assert.equal(end({}), undefined);
});

test('a long list of questions folds, and its numbers continue', () => {
  const cards = (count: number, answered: number[] = []) =>
    questionCards(
      invited(
        {},
        Array.from({ length: count }, (_, at) => `Question ${at}`),
      ),
      answered,
    )!.text;
  assert.doesNotMatch(cards(6), /<details>/);
  const long = cards(50, [5]);
  assert.equal(long.match(/<li>/g)?.length, 50);
  assert.match(
    long,
    /Question 3<\/span>.*<\/ol><details><summary>46 more questions<\/summary><ol [^>]*start="5"><li>.*Question 4</s,
  );
  assert.equal(long.match(/class="answered">/g)?.length, 1);
});

test('the page contains only the first of many long questions', () => {
  const long = (count: number) => Array.from({ length: count }, (_, at) => `${at} ${'x'.repeat(498)}`.slice(0, 500));
  assert.deepEqual([[], ['a'], long(2), long(5), ['x'.repeat(3_000), 'b']].map(containedCount), [0, 1, 1, 1, 1]);
  const cards = questionCards(invited({}, long(50)), [])!.text;
  assert.equal(cards.match(/<li>/g)?.length, 1);
  assert.match(cards, /<details data-more><summary>49 more questions<\/summary><ol [^>]*start="2"><\/ol>/);
  assert.doesNotMatch(questionCards(invited({}, long(1)), [])!.text, /details/);
});

test('a preview of the link has the facts, but no recipient', () => {
  for (const language of LANGUAGES.values()) {
    const tags = linkPreview(invited({ language }, ['Why?', 'How?'])).text;
    assert.doesNotMatch(tags, /Ada/, language.code);
    assert.match(tags, /property="og:title" content="Your &quot;first&quot; week"/);
    assert.match(tags, /property="og:site_name" content="Bread &amp; &lt;b&gt;Co&lt;\/b&gt;"/);
    const said = [...tags.matchAll(/content="([^"]*)"/g)].map(([, text]) => text);
    assert.equal(said[0], said[3], 'the description for search and for chats');
    assert.match(said[0]!, /2:00/);
    assert.match(said[0]!, /UTC/);
    assert.doesNotMatch(said[0]!, /\{|undefined|<|\.\./, language.code);
  }
  const plain = linkPreview(invited({ invitation: {}, brand: nobody })).text;
  assert.doesNotMatch(plain, /site_name/);
  assert.match(plain, /content="Record a short video, up to 2:00\. Your video goes to the people/);
});
