import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { html } from '@recording-request/web-shared/html';
import { markdown } from './markdown.ts';
import { renderDocument, renderFault } from './views.ts';

// No part begins with a dot, so the path stays inside the repository.
const PATH = /^(?:\/[\w-][\w.-]*)+\.md$/;

/** Shows a Markdown file of the repository, such as a runbook. Its URL has the file's path, so its relative links work. */
export async function documentPage(path: string, repositoryDir: string): Promise<{ status?: number; page: string }> {
  const text = PATH.test(path) ? await readFile(join(repositoryDir, path), 'utf8').catch(() => undefined) : undefined;
  if (text === undefined)
    return { status: 404, page: renderDocument('Not found', renderFault('There is no such document.')) };
  const title = /^# (.*)$/m.exec(text)?.[1] ?? path;
  return { page: renderDocument(title, html`<article class="prose">${markdown(text)}</article>`) };
}
