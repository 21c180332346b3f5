import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { html } from '@recording-request/web-shared/html';
import type { Answer } from './answer.ts';
import { markdown } from './markdown.ts';
import { renderDocument, renderFault } from './views.ts';

const NAME = /^[\w-]+$/;

export async function runbookPage(name: string, dir: string): Promise<Answer> {
  const text = NAME.test(name) ? await readFile(join(dir, `${name}.md`), 'utf8').catch(() => undefined) : undefined;
  if (text === undefined)
    return {
      status: 404,
      page: renderDocument('Not found', renderFault('There is no such runbook.')),
    };
  const title = /^# (.*)$/m.exec(text)?.[1] ?? name;
  return { page: renderDocument(title, html`<article class="prose">${markdown(text)}</article>`) };
}

/** Returns the list of runbooks: README.md if it exists, otherwise a list of the files. */
export async function runbooksPage(dir: string): Promise<Answer> {
  const files = await readdir(dir).catch((): string[] => []);
  if (files.includes('README.md')) return runbookPage('README', dir);
  const names = files.filter(file => file.endsWith('.md')).map(file => file.slice(0, -'.md'.length));
  const list =
    names.length === 0
      ? html`<p class="empty">There is none in docs/runbooks.</p>`
      : html`<ul class="cards">${names.sort().map(name => html`<li class="card"><a href="/runbooks/${name}">${name}</a></li>`)}</ul>`;
  return { page: renderDocument('Runbooks', html`<h1>Runbooks</h1>${list}`) };
}
