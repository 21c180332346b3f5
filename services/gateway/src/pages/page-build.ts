import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

// The task `generate`: bundles what runs in contributors' and owners' browsers into gen/, which is made and never kept.
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const OUT = here('../../gen/');

async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [here(entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    // Browsers that have MediaRecorder and IndexedDB in a usable form.
    target: ['es2020', 'safari14.1'],
    legalComments: 'none',
  });
  const [file] = outputFiles;
  if (!file) throw new Error(`${entry} made no output`);
  return file.text;
}

const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };

/** `browser/<page>/main.ts` and `browser/<page>/<page>.css`. */
async function buildPage(page: string): Promise<void> {
  const script = await bundle(`./browser/${page}/main.ts`);
  const style = await bundle(`./browser/${page}/${page}.css`);
  const hash = createHash('sha256').update(script).digest('base64url').slice(0, 12);
  await writeFile(`${OUT}${page}.js`, script);
  await writeFile(`${OUT}${page}.js.gz`, gzipSync(script, { level: 9 }));
  await writeFile(`${OUT}${page}.js.br`, brotliCompressSync(script, brotli));
  await writeFile(`${OUT}${page}.css`, style);
  await writeFile(`${OUT}${page}.json`, JSON.stringify({ script: `${page}-${hash}.js` }));
}

await rm(OUT, { recursive: true, force: true });
await mkdir(OUT, { recursive: true });
for (const page of ['recorder', 'dashboard']) await buildPage(page);
