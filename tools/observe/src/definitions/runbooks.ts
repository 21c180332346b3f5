import { readdir, readFile } from 'node:fs/promises';

const FOLDER = new URL('../../../../docs/runbooks/', import.meta.url);

export interface Runbook {
  /** The name of its file, without `.md`. */
  name: string;
  text: string;
  /** The text without its queries. */
  prose: string;
  /** The queries of its `promql` blocks, separated by empty lines. */
  queries: string[];
}

const PROMQL = /^```promql\n([\s\S]*?)^```$/gm;

/** Returns every page of docs/runbooks. */
export async function readRunbooks(): Promise<Runbook[]> {
  const files = (await readdir(FOLDER)).filter(file => file.endsWith('.md'));
  return Promise.all(
    files.map(async file => {
      const text = await readFile(new URL(file, FOLDER), 'utf8');
      const queries = [...text.matchAll(PROMQL)].flatMap(([, block = '']) => block.trim().split(/\n{2,}/));
      return { name: file.slice(0, -'.md'.length), text, prose: text.replace(PROMQL, ''), queries };
    }),
  );
}
