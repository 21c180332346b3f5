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

/**
 * Returns which of br, gzip and identity an Accept-Encoding header gives the greatest weight, the first of them where several
 * have it. `*` counts for none: a client that sends it alone names nothing that it can decode.
 */
export function encodingFor(accepted: string | undefined): 'br' | 'gzip' | 'identity' {
  const weights = new Map((accepted ?? '').toLowerCase().split(',').map(weighted));
  let best: 'br' | 'gzip' | 'identity' = 'identity';
  let most = 0;
  for (const encoding of ['br', 'gzip', 'identity'] as const) {
    const weight = weights.get(encoding) ?? 0;
    if (weight > most) [best, most] = [encoding, weight];
  }
  return best;
}

function weighted(one: string): [encoding: string, weight: number] {
  const [encoding = '', ...parameters] = one.split(';').map(part => part.trim());
  const weight = parameters.find(parameter => parameter.startsWith('q='));
  return [encoding, weight === undefined ? 1 : Number(weight.slice(2))];
}
