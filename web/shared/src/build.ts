import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';

// The task `generate` of a page's workspace, run in its folder: `node ../shared/src/build.ts <page>`. Bundles the browser
// sources `src/browser/main.ts` and `src/browser/<page>.css` into gen/, which is not in the repository.
const OUT = resolve('gen');

async function bundle(entry: string, plugins: Plugin[] = []): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [resolve('src/browser', entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    // The oldest browsers with usable MediaRecorder and IndexedDB.
    target: ['es2020', 'safari14.1'],
    legalComments: 'none',
    plugins,
  });
  const [file] = outputFiles;
  if (!file) throw new Error(`${entry} made no output`);
  return file.text;
}

/** Imports of a style sheet return its minified text. */
const styleAsText: Plugin = {
  name: 'style as text',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => ({ contents: await bundle(path), loader: 'text' }));
  },
};

const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };

async function buildPage(page: string): Promise<void> {
  const script = await bundle('main.ts', [styleAsText]);
  const style = await bundle(`${page}.css`);
  const hash = createHash('sha256').update(script).digest('base64url').slice(0, 12);
  const write = (name: string, content: string | Buffer) => writeFile(resolve(OUT, name), content);
  await rm(OUT, { recursive: true, force: true });
  await mkdir(OUT, { recursive: true });
  await write(`${page}.js`, script);
  await write(`${page}.js.gz`, gzipSync(script, { level: 9 }));
  await write(`${page}.js.br`, brotliCompressSync(script, brotli));
  await write(`${page}.css`, style);
  await write(`${page}.json`, JSON.stringify({ script: `${page}-${hash}.js` }));
}

const [page] = process.argv.slice(2);
if (!page) throw new Error('usage, in the folder of the page: node ../shared/src/build.ts <page>');
await buildPage(page);
