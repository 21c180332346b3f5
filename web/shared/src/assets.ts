import { readFileSync } from 'node:fs';

export interface PageAssets {
  /** The script's file name, with a hash of its content. */
  scriptName: string;
  /** The style sheet, for a <style> element. */
  style: string;
  script: Record<'identity' | 'gzip' | 'br', Buffer>;
}

/**
 * Loads the assets that `npm run generate` built from a page's browser sources, in `folder`. If assets are missing,
 * throws a sentence that names this command.
 */
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
 * Returns the encoding (br, gzip or identity) with the greatest weight in an Accept-Encoding header; on a tie, the
 * first one. Ignores `*`, because a client that sends only `*` names no encoding that it can decode.
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
