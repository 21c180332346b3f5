import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markdown } from './markdown.ts';

const RUNBOOK = `# The store is \`slow\`: why?

It **answers \`x\`** late, *so* a*b*c; see \`store\`, [Kafka](kafka-away.md#when), [below](#look),
[the rules](../prometheus/rules/causes.yaml) and [the site](https://example.org/).

1. Look:
   at this
2. Go on

| step | \`a\\|b\` |
|---|---|
| one | 1 \\| 2 |

\`\`\`promql
topk(3, a > 1)
\`\`\`
<script>alert(1)</script> and <b onclick="x">text</b>
`;

test('renders a runbook with links that run its queries', () => {
  const { text } = markdown(RUNBOOK);
  assert.match(text, /<h1 id="the-store-is-slow-why">The store is <code>slow<\/code>: why\?<\/h1>/);
  assert.match(text, /<strong>answers <code>x<\/code><\/strong> late, <em>so<\/em>/);
  assert.match(text, /<li>Look:\s+at this<\/li>\s*<li>Go on<\/li>/);
  assert.match(text, /<th><code>a\|b<\/code><\/th>.*<td>1 \| 2<\/td>/s);
  assert.match(text, /<code>topk\(3, a &gt; 1\)<\/code>.*href="\/query\?expr=topk%283%2C\+a\+%3E\+1%29"/s);
});

test('links documents, headings and sites, and shows the path of other files', () => {
  const { text } = markdown(RUNBOOK);
  for (const link of ['<a href="kafka-away.md#when">Kafka</a>', '<a href="#look">below</a>'])
    assert(text.includes(link), link);
  assert.match(text, /the rules \(<code>\.\.\/prometheus\/rules\/causes\.yaml<\/code>\)/);
  assert.match(text, /<a href="https:\/\/example\.org\/">the site<\/a>/);
  assert(!markdown('[x](javascript:alert(1))').text.includes('href'));
});

test('shows HTML as text', () => {
  const { text } = markdown(RUNBOOK);
  assert.doesNotMatch(text, /<script|<b /);
  assert.match(text, /&lt;script&gt;alert\(1\)/);
});

test('renders a list directly after its sentence, and links every query of a block', () => {
  const { text } = markdown('First:\n- one\n- two\n\n```promql\n# how many\nup\n\ndown\n```\n\n```\nnpm test\n```');
  assert.match(text, /<p>First:<\/p>\s*<ul>\s*<li>one<\/li>\s*<li>two<\/li>\s*<\/ul>/);
  assert.deepEqual(
    [...text.matchAll(/expr=(\w+)/g)].map(([, expr]) => expr),
    ['up', 'down'],
  );
});
