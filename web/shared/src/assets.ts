import { readFileSync } from 'node:fs';

export type Encoding = 'br' | 'gzip' | 'identity';

export interface PageAssets {
  /** The name of the script of the first view. */
  scriptName: string;
  /** The style sheet, for a <style> element. */
  style: string;
  /** The script of the first view and its chunks by file name. Each name has a hash of the content. */
  scripts: ReadonlyMap<string, Record<Encoding, Buffer>>;
}

interface Manifest {
  first: string;
  files: string[];
}

/**
 * Loads the assets that `npm run generate` built from a page's browser sources, in `folder`. If assets are missing,
 * throws a sentence that names this command.
 */
export function loadPageAssets(page: string, folder: URL): PageAssets {
  const read = (name: string) => readFileSync(new URL(name, folder));
  try {
    const { first, files } = JSON.parse(read(`${page}.json`).toString('utf8')) as Manifest;
    const encoded = (name: string) => ({ identity: read(name), gzip: read(`${name}.gz`), br: read(`${name}.br`) });
    return {
      scriptName: first,
      style: read(`${page}.css`).toString('utf8'),
      scripts: new Map(files.map(name => [name, encoded(name)])),
    };
  } catch (error) {
    throw new Error(`The ${page} page has not been built: run npm run generate.`, { cause: error });
  }
}

/**
 * Returns the encoding (br, gzip or identity) with the greatest weight in an Accept-Encoding header; on a tie, the
 * first one. Ignores `*`, because a client that sends only `*` names no encoding that it can decode.
 */
export function encodingFor(accepted: string | undefined): Encoding {
  const weights = new Map((accepted ?? '').toLowerCase().split(',').map(weighted));
  let best: Encoding = 'identity';
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
