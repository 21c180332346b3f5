import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

// The task `generate`: bundles what runs in the contributor's browser into gen/, which is made and never kept.
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

const script = await bundle('./browser/recorder/main.ts');
const style = await bundle('./browser/recorder/recorder.css');
const hash = createHash('sha256').update(script).digest('base64url').slice(0, 12);
await rm(OUT, { recursive: true, force: true });
await mkdir(OUT, { recursive: true });
await writeFile(`${OUT}recorder.js`, script);
await writeFile(`${OUT}recorder.js.gz`, gzipSync(script, { level: 9 }));
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
await writeFile(`${OUT}recorder.js.br`, brotliCompressSync(script, brotli));
await writeFile(`${OUT}recorder.css`, style);
await writeFile(`${OUT}recorder.json`, JSON.stringify({ script: `recorder-${hash}.js` }));
