import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markdown } from './markdown.ts';

const RUNBOOK = `# The store is slow

It **answers \`x\`** late, *so* a*b*c; see \`store\` and [Kafka](kafka-away.md).
What then:

1. Look:
   at this
2. Go on

| step | \`a|b\` |
|---|---|
| one | 1 \\| 2 |

\`\`\`promql
topk(3, a > 1)
\`\`\`
<script>alert(1)</script>
`;

test('renders a runbook with links that run its queries', () => {
  const { text } = markdown(RUNBOOK);
  assert.match(text, /<h1>The store is slow<\/h1>/);
  assert.match(
    text,
    /<strong>answers <code>x<\/code><\/strong> late, <em>so<\/em> a\*b\*c.*<code>store<\/code>.*<a href="\/runbooks\/kafka-away">Kafka<\/a>/,
  );
  assert.match(text, /<ol><li>Look: at this<\/li><li>Go on<\/li><\/ol>/);
  assert.match(text, /<th scope="col"><code>a\|b<\/code><\/th>.*<td>1 \| 2<\/td>/s);
  assert.match(text, /<code>topk\(3, a &gt; 1\)<\/code>.*href="\/query\?expr=topk%283%2C\+a\+%3E\+1%29"/s);
  assert.doesNotMatch(text, /<script>/);
});

test('renders a list directly after its sentence, and links every query of a block', () => {
  const { text } = markdown('First:\n- one\n- two\n\n```promql\n# how many\nup\n\ndown\n```\n\n```\nnpm test\n```');
  assert.match(text, /<p>First:<\/p><ul><li>one<\/li><li>two<\/li><\/ul>/);
  assert.deepEqual(
    [...text.matchAll(/expr=(\w+)/g)].map(([, expr]) => expr),
    ['up', 'down'],
  );
});
