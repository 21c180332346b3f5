import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, relative, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Plugin } from 'esbuild';

// The task `generate` of a page's workspace, run in its folder: `node ../shared/src/build.ts <page>`. Bundles the browser
// sources into gen/, which is not in the repository: `src/browser/main.ts` is the script of the first view, a file in
// `src/browser/chunks/` is a module that this script loads by `import()`, and `src/browser/<page>.css` is the style.
const OUT = resolve('gen');
const MAIN = resolve('src/browser/main.ts');
const CHUNK = /\/src\/browser\/chunks\/[\w-]+\.ts$/;
/** The texts of a chunk in one language. Each file is a chunk by itself. */
const TEXTS = /\/src\/[\w-]+-texts\/[\w-]+\.json$/;

const OPTIONS = {
  bundle: true,
  minify: true,
  write: false,
  // The oldest browsers with usable MediaRecorder and IndexedDB.
  target: ['es2020', 'safari14.1'],
  legalComments: 'none',
} satisfies BuildOptions;

async function bundleStyle(path: string): Promise<string> {
  const { outputFiles } = await build({ ...OPTIONS, entryPoints: [path] });
  const [file] = outputFiles;
  if (!file) throw new Error(`${path} made no output`);
  return file.text;
}

/** Imports of a style sheet return its minified text. */
const styleAsText: Plugin = {
  name: 'style as text',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => ({ contents: await bundleStyle(path), loader: 'text' }));
  },
};

/**
 * Lets each chunk import the first script. Therefore esbuild puts the code that they share into the file of the first
 * script, and not into another file that the first view would have to load.
 */
const chunksImportMain: Plugin = {
  name: 'chunks import main',
  setup({ onLoad }) {
    onLoad({ filter: CHUNK }, async ({ path }) => ({
      contents: `import ${JSON.stringify(MAIN)};\n${await readFile(path, 'utf8')}`,
      loader: 'ts',
      resolveDir: dirname(path),
    }));
    onLoad({ filter: TEXTS }, async ({ path }) => ({
      contents: `import ${JSON.stringify(MAIN)};\nexport default ${await readFile(path, 'utf8')}`,
      loader: 'js',
      resolveDir: dirname(path),
    }));
  },
};

interface Script {
  /** The name of the first script. */
  first: string;
  /** The names and texts of the first script and its chunks. */
  files: Map<string, string>;
}

/** Returns the scripts, with a hash of their content in each name. */
async function bundleScripts(page: string): Promise<Script> {
  const { outputFiles, metafile } = await build({
    ...OPTIONS,
    entryPoints: { [page]: MAIN },
    format: 'esm',
    splitting: true,
    outdir: OUT,
    entryNames: '[name]-[hash]',
    chunkNames: `${page}-[name]-[hash]`,
    metafile: true,
    plugins: [styleAsText, chunksImportMain],
  });
  const source = relative(process.cwd(), MAIN);
  const outputs = Object.entries(metafile.outputs);
  // With chunks, the entry's own file only imports the file that has its code.
  const [path, output] = outputs.find(([, { inputs }]) => source in inputs) ?? [];
  if (!path || !output) throw new Error(`no output has ${source}`);
  const needs = output.imports.filter(({ kind }) => kind === 'import-statement');
  if (needs.length > 0) throw new Error(`the first view needs ${needs.map(({ path }) => path)} before its script`);
  const first = basename(path);
  const stub = outputs.find(([, { entryPoint }]) => entryPoint === source)?.[0];
  const texts = outputFiles.map(file => [basename(file.path), file.text] as const);
  return { first, files: new Map(texts.filter(([name]) => name === first || name !== basename(stub ?? ''))) };
}

const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };

async function buildPage(page: string): Promise<void> {
  const { first, files } = await bundleScripts(page);
  const style = await bundleStyle(resolve('src/browser', `${page}.css`));
  const write = (name: string, content: string | Buffer) => writeFile(resolve(OUT, name), content);
  await rm(OUT, { recursive: true, force: true });
  await mkdir(OUT, { recursive: true });
  for (const [name, text] of files) {
    await write(name, text);
    await write(`${name}.gz`, gzipSync(text, { level: 9 }));
    await write(`${name}.br`, brotliCompressSync(text, brotli));
  }
  await write(`${page}.css`, style);
  await write(`${page}.json`, JSON.stringify({ first, files: [...files.keys()] }));
}

const [page] = process.argv.slice(2);
if (!page) throw new Error('usage, in the folder of the page: node ../shared/src/build.ts <page>');
await buildPage(page);
