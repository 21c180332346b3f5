import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneLine } from './caption-text.ts';
import { type Cue, cuesOf, type Segment, wholeClip } from './captions.ts';
import { toVtt } from './vtt.ts';

const segment = (startSec: number, endSec: number, text: string): Segment => ({ startSec, endSec, text });
const shown = (cues: Cue[]) => cues.map(({ startMs, endMs, text }) => [startMs, endMs, text]);
/** Joins the words of all cues without spaces, because a script without spaces has none between two lines. */
const wordsOf = (texts: string[]) => texts.map(oneLine).join('').replaceAll(/\s/g, '');

const TIMES = /^(\d{2,}):([0-5]\d):([0-5]\d)\.(\d{3}) --> (\d{2,}):([0-5]\d):([0-5]\d)\.(\d{3})$/;

/** Parses WebVTT strictly, with the grammar for writers instead of the tolerant grammar for readers. */
function strictCues(vtt: string): Cue[] {
  assert.ok(vtt.isWellFormed() && !/[\0\r]/.test(vtt));
  const [head, ...blocks] = vtt.replace(/\n$/, '').split('\n\n');
  assert.equal(head, 'WEBVTT');
  return blocks.map(block => {
    const [times = '', ...lines] = block.split('\n');
    const [h1, m1, s1, t1, h2, m2, s2, t2] = (TIMES.exec(times) ?? assert.fail(times)).slice(1).map(Number);
    assert.ok(lines.length > 0 && lines.every(line => line.trim() !== '' && !line.includes('-->')), block);
    for (const line of lines) assert.doesNotMatch(line, /<|&(?!amp;|lt;|gt;)|\p{Cc}/u);
    const text = lines.join('\n').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    const ms = (h = 0, m = 0, s = 0, t = 0) => ((h * 60 + m) * 60 + s) * 1000 + t;
    return { startMs: ms(h1, m1, s1, t1), endMs: ms(h2, m2, s2, t2), text };
  });
}

const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303f\uff01-\uff60]/gu;

/** Checks the rules that every transcript's cues must follow. Returns the parsed cues. */
function checked(segments: Segment[], durationSec: number, leastMs = 1_000): Cue[] {
  const cues = cuesOf(segments, durationSec);
  assert.deepEqual(strictCues(toVtt(cues)), cues);
  let before = 0;
  for (const { startMs, endMs, text } of cues) {
    assert.ok(startMs >= before && endMs > startMs, `${before} ${startMs} ${endMs}`);
    assert.ok(durationSec === 0 || endMs <= durationSec * 1000);
    assert.ok(endMs - startMs >= leastMs && endMs - startMs <= 7_000, `${startMs} ${endMs} ${text}`);
    const lines = text.split('\n');
    assert.ok(lines.length <= 2, text);
    for (const line of lines) {
      assert.equal(line, line.trim());
      const wide = line.match(WIDE)?.length ?? 0;
      assert.ok([...line].length - wide <= 42 - wide * 2.625 + 1e-9, line);
    }
    before = endMs;
  }
  const ordered = [...segments].sort((a, b) => a.startSec - b.startSec).map(({ text }) => text);
  assert.equal(wordsOf(cues.map(({ text }) => text)), wordsOf(ordered));
  return cues;
}

test('a segment that fits a caption becomes one cue with its own times', () => {
  const cues = checked([segment(0.5, 2.25, ' Hello there. '), segment(2.25, 4, 'Bye.')], 10);
  assert.deepEqual(shown(cues), [
    [500, 2_250, 'Hello there.'],
    [2_250, 4_000, 'Bye.'],
  ]);
});

test('a long segment is split at its sentences and phrases, with times in proportion to its characters', () => {
  const said =
    'I have used it for about a year now, mostly at work. It took me a day to learn, which is less than I had thought, and nobody in the team would give it back.';
  const cues = checked([segment(2, 14, said)], 20);
  assert.deepEqual(
    cues.map(({ text }) => text),
    [
      'I have used it for about a year now,\nmostly at work. It took me a day to learn,',
      'which is less than I had thought,\nand nobody in the team would give it back.',
    ],
  );
  for (const { startMs, text } of cues) {
    const at = said.indexOf(text.split('\n')[0]!);
    assert.ok(Math.abs(startMs - (2_000 + (12_000 * at) / said.length)) < 10, `${startMs} ${text}`);
  }
});

test('a segment with time for several cues becomes several cues', () => {
  const cues = checked([segment(0, 12, 'Well, I would say that it depends on the day.')], 12);
  assert.equal(cues.length, 2);
});

test('a short segment is shown for a second if there is room, and otherwise joins its neighbour', () => {
  assert.deepEqual(shown(checked([segment(5, 5.2, 'Yes.')], 10)), [[5_000, 6_000, 'Yes.']]);
  assert.deepEqual(shown(checked([segment(5, 5.2, 'Yes.')], 5.3)), [[4_300, 5_300, 'Yes.']]);
  assert.deepEqual(shown(checked([segment(0, 0.4, 'Yes.'), segment(0.5, 3, 'It does.')], 10)), [
    [0, 3_000, 'Yes. It does.'],
  ]);
  const full = 'This sentence was made to fill a caption of two lines as well as one ever can do.';
  const cues = checked([segment(0, 6, full), segment(6, 6.4, 'Yes.'), segment(6.4, 12, full)], 12);
  assert.ok(cues.some(({ text }) => /Yes\. This|do\.\sYes/.test(text)));
});

test('a clip shorter than a second has cues of its length', () => {
  assert.deepEqual(shown(checked([segment(0, 0.4, 'Yes.')], 0.5, 1)), [[0, 500, 'Yes.']]);
  assert.deepEqual(shown(cuesOf([segment(0, 9, 'Yes.')], 0.0001)), [[0, 1, 'Yes.']]);
});

test('cues are in order and within the clip for any times from a provider', () => {
  const wild = [
    segment(4, 3, 'backwards'),
    segment(Number.NaN, Number.POSITIVE_INFINITY, 'without times'),
    segment(-2, 0.4, 'before the start'),
    segment(0.2, 0.9, 'overlapping'),
    segment(9, 99, 'past the end'),
    segment(50, 60, 'far past the end'),
    segment(2, 3, '   '),
  ];
  const cues = cuesOf(wild, 10);
  assert.equal(
    cues.map(({ text }) => text).join(' '),
    'before the start overlapping backwards without times past the end far past the end',
  );
  for (const [at, { startMs, endMs }] of cues.entries())
    assert.ok(endMs - startMs >= 900 && startMs >= (cues[at - 1]?.endMs ?? 0) && endMs <= 10_000);
});

test('more words than milliseconds become one cue over the clip', () => {
  const cues = cuesOf([segment(0, 0.001, 'word '.repeat(1_000))], 0.01);
  assert.equal(cues.length, 1);
  assert.deepEqual([cues[0]!.startMs, cues[0]!.endMs], [0, 10]);
  assert.equal(wordsOf([cues[0]!.text]), 'word'.repeat(1_000));
});

test('a text without times is one cue over the clip', () => {
  assert.deepEqual(wholeClip('all of it', 12.5), [{ startMs: 0, endMs: 12_500, text: 'all of it' }]);
  assert.deepEqual(wholeClip(' ', 12.5), []);
  assert.equal(wholeClip('unknown length', 0).length, 1);
  for (const line of wholeClip('all of it '.repeat(50), 12.5)[0]!.text.split('\n')) assert.ok(line.length <= 42);
});

test('no text can end a cue, start another one or add markup', () => {
  const texts = [
    'a\n\n00:00:09.000 --> 00:00:10.000\nb <i>c</i> & d\0',
    'NOTE\n\nSTYLE',
    '\u0000\u0001\u0007 \u0085 \u2028\u2029\r\n\v x',
    'a & b < c > d --> --> <v Anna>&amp;&lt;',
    '\ud800 alone \udc00',
    'WEBVTT',
    '1',
  ];
  for (const text of texts) checked([segment(0, 3, text)], 0, 1);
  checked(
    texts.map((text, at) => segment(at * 3, at * 3 + 2, text)),
    60,
  );
});

test('scripts without spaces wrap between words, and lines neither begin nor end with the wrong mark', () => {
  const japanese =
    '私はこの製品を一年ほど使っていますが、とても便利だと思います。「もう返したくない」と、チームの全員が言っています。';
  const chinese =
    '我用这个产品大概一年了，主要是在工作中使用。学会它只花了一天时间，比我想象的要少得多，团队里没有人愿意还回去。';
  const thai = 'ฉันใช้ผลิตภัณฑ์นี้มาประมาณหนึ่งปีแล้วส่วนใหญ่ใช้ในที่ทำงานและใช้เวลาเรียนรู้เพียงหนึ่งวันเท่านั้น';
  for (const text of [japanese, chinese, thai]) {
    const lines = checked([segment(0, 16, text)], 16).flatMap(cue => cue.text.split('\n'));
    assert.ok(lines.length > 2);
    for (const line of lines) assert.doesNotMatch(line, /^[、。，！？」ーっ]|[「（]$/u);
  }
  const korean = '저는 이 제품을 일 년 정도 사용했는데 주로 직장에서 사용했고 배우는 데 하루밖에 걸리지 않았습니다';
  const blanks = checked([segment(0, 12, korean)], 12).map(({ text }) => text.replaceAll('\n', ' '));
  assert.equal(blanks.join(' '), korean);
});

test('right-to-left text wraps in its spoken order', () => {
  for (const text of [
    'استخدمت هذا المنتج لمدة عام تقريبًا، في العمل غالبًا. استغرق تعلمه يومًا واحدًا، وهو أقل مما كنت أظن، ولا أحد يريد إعادته.',
    'השתמשתי במוצר הזה במשך כשנה, בעיקר בעבודה. לקח לי יום אחד ללמוד אותו, פחות ממה שחשבתי, ואף אחד לא רוצה להחזיר אותו.',
  ]) {
    const cues = checked([segment(0, 14, text)], 14);
    assert.ok(cues.length > 1);
    assert.equal(cues.map(cue => cue.text.replaceAll('\n', ' ')).join(' '), text);
  }
});

test('a word that is wider than a line is cut between its characters', () => {
  const family = '👩‍👩‍👧‍👦';
  for (const word of [
    'x'.repeat(200),
    `https://example.com/${'a/long/path/'.repeat(20)}`,
    '。'.repeat(50),
    family.repeat(9),
    'é'.repeat(60),
    `e${'\u0301'.repeat(100)}`,
  ]) {
    const cues = checked([segment(0, 30, `before ${word} after`)], 30);
    if (word.startsWith(family)) {
      const lines = cues.flatMap(({ text }) => text.split(/\s/));
      assert.ok(lines.every(line => line.replaceAll(family, '').match(/^(before|after)?$/)));
    }
  }
});

test('separate punctuation stays on the line of its word', () => {
  const french = 'Vraiment, vous le pensez depuis longtemps ? Je ne sais pas trop quoi en dire encore : voilà !';
  for (const { text } of checked([segment(0, 9, french)], 9)) assert.doesNotMatch(text, /^[?:!]/m);
});

/** Returns pseudo-random whole numbers below a bound; each run returns the same numbers. */
function randomFrom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

test('random speech follows the captioning rules', () => {
  const random = randomFrom(7);
  const words = [
    'a',
    'yes.',
    'well,',
    'product',
    'everybody',
    'incomprehensibilities',
    '-->',
    '<b>',
    '&',
    '日本語です。',
  ];
  for (let round = 0; round < 300; round += 1) {
    const segments: Segment[] = [];
    let at = random(3_000) / 1000;
    for (let count = 1 + random(12); count > 0; count -= 1) {
      const text = Array.from({ length: 1 + random(40) }, () => words[random(words.length)]).join(' ');
      // At most 15 characters per second; a full-width character counts as two or three.
      const seconds = (text.length + 1.7 * (text.match(WIDE)?.length ?? 0)) / (4 + random(12));
      segments.push(segment(at, at + seconds, text));
      at += seconds + (random(2) * random(4_000)) / 1000;
    }
    checked(segments, Math.max(at, 1));
  }
});

test('random nonsense is still valid and within the clip', () => {
  const random = randomFrom(11);
  for (let round = 0; round < 60; round += 1) {
    const segments = Array.from({ length: random(40) }, () => {
      const text = String.fromCharCode(...Array.from({ length: random(300) }, () => random(random(2) ? 128 : 65_536)));
      return segment(random(20) - 2, random(20), text);
    });
    const cues = cuesOf(segments, 15);
    assert.deepEqual(strictCues(toVtt(cues)), cues);
    let before = 0;
    for (const { startMs, endMs } of cues) {
      assert.ok(startMs >= before && endMs > startMs && endMs <= 15_000);
      before = endMs;
    }
  }
});

test('ten thousand segments are laid out quickly', { timeout: 10_000 }, () => {
  const segments = Array.from({ length: 10_000 }, (_, at) => segment(at, at + 1, 'と言いました'.repeat(8)));
  assert.ok(cuesOf(segments, 10_000).length >= 10_000);
});
