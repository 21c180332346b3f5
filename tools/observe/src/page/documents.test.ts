import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { documentPage } from './documents.ts';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));

async function htmlAt(path: string): Promise<string> {
  const answer = await documentPage(path, REPOSITORY);
  assert(answer.status === undefined, `no page at ${path}`);
  return answer.page;
}

describe('each link of a runbook has a page and a heading', async () => {
  const names = (await readdir(`${REPOSITORY}docs/runbooks`)).filter(name => name.endsWith('.md'));
  assert(names.length > 20);
  for (const name of names)
    test(name, async () => {
      const here = new URL(`http://page/docs/runbooks/${name}`);
      const text = articleOf(await htmlAt(here.pathname));
      for (const target of linksIn(text)) {
        const { pathname, hash, origin } = new URL(target, here);
        if (origin !== here.origin || pathname === '/query') continue;
        const there = await htmlAt(pathname);
        assert(hash === '' || there.includes(` id="${decodeURIComponent(hash.slice(1))}"`), `${name} links ${target}`);
      }
    });
});

const articleOf = (page: string) => /<article[\s\S]*<\/article>/.exec(page)![0];
const linksIn = (text: string) => [...text.matchAll(/<a href="([^"]*)"/g)].map(([, target = '']) => target);

test('serves only Markdown of the repository', async () => {
  for (const path of ['/package.json', '/docs/none.md', '/docs/../../x.md', '/.git/x.md', '/docs/%2e%2e/x.md', '/.md'])
    assert.equal((await documentPage(path, REPOSITORY)).status, 404, path);
});
