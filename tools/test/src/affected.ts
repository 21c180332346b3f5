import { type ImportGraph, reaching } from './import-graph.ts';

export interface Affected {
  /** The test files to run in the changed workspaces. */
  tests: string[];
  /** The number of test files in other workspaces that import a changed file too. */
  elsewhere: number;
}

const workspaceOf = (file: string): string =>
  /^(?:(?:packages|web|services|tools|test)\/[^/]+|proto)\//.exec(file)?.[0] ?? '';
const isSource = (file: string): boolean => /\.(ts|mjs)$/.test(file);
const isDocument = (file: string): boolean => /\.(md|png|jpe?g|svg)$/.test(file);

/**
 * Returns the test files for a change of the files `changed`: in each changed workspace, the tests that directly or
 * indirectly import a changed source file. If the change includes a file that is neither a source file nor a document,
 * returns all tests of its workspace. All paths are relative to the repository.
 */
export function affectedTests(graph: ImportGraph, testFiles: readonly string[], changed: readonly string[]): Affected {
  const code = changed.filter(file => workspaceOf(file) !== '' && !isDocument(file));
  const workspaces = new Set(code.map(workspaceOf));
  const whole = new Set(code.filter(file => !isSource(file)).map(workspaceOf));
  const sources = new Set(code.filter(isSource));
  const reached = reaching(graph, testFiles, file => sources.has(file) || whole.has(workspaceOf(file)));
  const tests = reached.filter(test => workspaces.has(workspaceOf(test)));
  return { tests, elsewhere: reached.length - tests.length };
}
