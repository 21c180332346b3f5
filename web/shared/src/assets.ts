import { readFileSync } from 'node:fs';

export interface PageAssets {
  /** File name of the script, with a hash of its content. */
  scriptName: string;
  /** The style sheet, for a <style> element. */
  style: string;
  script: Record<'identity' | 'gzip' | 'br', Buffer>;
}

/** What `npm run generate` made of a page's browser sources, in `folder`. Throws a sentence that says so where it did not run. */
export function loadPageAssets(page: string, folder: URL): PageAssets {
  const read = (name: string) => readFileSync(new URL(name, folder));
  try {
    return {
      scriptName: (JSON.parse(read(`${page}.json`).toString('utf8')) as { script: string }).script,
      style: read(`${page}.css`).toString('utf8'),
      script: { identity: read(`${page}.js`), gzip: read(`${page}.js.gz`), br: read(`${page}.js.br`) },
    };
  } catch (error) {
    throw new Error(`The ${page} page has not been built: run npm run generate.`, { cause: error });
  }
}

/** The best of br, gzip and identity that an Accept-Encoding header takes. */
export function encodingFor(accepted: string | undefined): 'br' | 'gzip' | 'identity' {
  const taken = new Set(
    (accepted ?? '')
      .toLowerCase()
      .split(',')
      .filter(one => !/;\s*q=0(\.0*)?\s*$/.test(one))
      .map(one => one.split(';')[0]!.trim()),
  );
  if (taken.has('br')) return 'br';
  return taken.has('gzip') ? 'gzip' : 'identity';
}
