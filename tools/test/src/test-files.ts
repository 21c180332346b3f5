import { glob } from 'node:fs/promises';
import { dirname } from 'node:path';
import { reaching, readImportGraph } from './import-graph.ts';
import { ROOT } from './repository.ts';

/** Returns every test file, relative to the repository, the long ones first so that no core waits for the last. */
export async function allTestFiles(): Promise<string[]> {
  const files = await Array.fromAsync(
    glob('{packages,web,services,tools,test}/**/*.test.ts', {
      cwd: ROOT,
      exclude: name => name.endsWith('node_modules'),
    }),
  );
  const weight = (file: string) => (file.startsWith('test/') ? 0 : dirname(file).includes('/test') ? 1 : 2);
  return files.sort((a, b) => weight(a) - weight(b) || a.localeCompare(b));
}

/** Returns the test files with `text` in their path or, when there is none, those that import a file whose path has it. */
export async function testFilesFor(text: string): Promise<string[]> {
  const files = await allTestFiles();
  const named = files.filter(file => file.includes(text));
  return named.length > 0 ? named : reaching(await readImportGraph(ROOT), files, file => file.includes(text));
}
