import { hash } from 'node:crypto';
import { glob } from 'node:fs/promises';
import { reaching, readImportGraph } from './import-graph.ts';
import { ROOT } from './repository.ts';

// A test next to its source needs no server, except the tests of the tools that make clips or start servers.
const WITH_SERVERS = /^test\/(?!.*\/src\/)|^[^/]+\/[^/]+\/test\/|^tools\/(stack|fixtures|demo)\//;

/** Returns whether a test file needs the real servers, or the programs that install with them. */
export const needsServers = (file: string): boolean => WITH_SERVERS.test(file);

// These tests check the manifests in deploy/, with programs that take minutes to build from Go modules.
const DEPLOY = /^tools\/k8s\/test\//;

/** Returns whether a test file belongs to `npm run check -- --deploy` and not to `npm test`. */
export const isDeployTest = (file: string): boolean => DEPLOY.test(file);

// These test files take long, because they run the whole system, read every hostile file, or simulate days of
// Prometheus for every alert.
const LONG =
  /^test\/(?!.*\/src\/)|^tools\/(demo|observe)\/test\/|^tools\/observe\/src\/definitions\/rules\.|^services\/media\/test\/hostile\./;
// Each of these test files takes minutes. If it started late, it would run alone at the end.
const LONGEST = /^test\/(system\/owner-api|browser\/(recovery|dashboard|pages)|faults\/faults)\.|\/hostile\./;

/**
 * Returns whether a test file takes long. Such a file gets a separate process, so that other tests do not wait for it.
 */
export const isLong = (file: string): boolean => LONG.test(file);

/**
 * Returns every test file, relative to the repository. Distributes long files evenly among the first tests of the
 * services; otherwise, they would use the whole processor at first and leave it idle later. Mixes the folders, because
 * the files of one folder all mostly wait or all mostly compute. The order is always the same. Unit tests come last.
 */
export async function allTestFiles(): Promise<string[]> {
  const files = await Array.fromAsync(
    glob('{proto,packages,web,clients,services,tools,test}/**/*.test.ts', {
      cwd: ROOT,
      exclude: name => name.endsWith('node_modules'),
    }),
  );
  const {
    unit = [],
    long = [],
    service = [],
  } = Object.groupBy(mixed(files), file => {
    if (isLong(file)) return 'long';
    return needsServers(file) ? 'service' : 'unit';
  });
  const isShorter = (file: string) => !LONGEST.test(file);
  return [...interleave([...long.filter(file => !isShorter(file)), ...long.filter(isShorter)], service), ...unit];
}

const mixed = (files: readonly string[]) =>
  files.toSorted((one, other) => (hash('sha256', one) < hash('sha256', other) ? -1 : 1));

/**
 * Returns both lists as one, each in its order. The files of the first list are at even distances within the first
 * three quarters of the second list.
 */
export function interleave<T>(few: readonly T[], many: readonly T[]): T[] {
  const step = (many.length * 0.75) / Math.max(1, few.length);
  const at = (item: T, place: number) => ({ item, place });
  return [...few.map((item, i) => at(item, i * step - 0.5)), ...many.map(at)]
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/**
 * Returns the test files with `text` in their path. If there are none, returns the test files that import a file with
 * `text` in its path. Without a text, returns all test files except the tests of the manifests.
 */
export async function testFilesFor(text: string): Promise<string[]> {
  const files = await allTestFiles();
  if (text === '') return files.filter(file => !isDeployTest(file));
  const named = files.filter(file => file.includes(text));
  return named.length > 0 ? named : reaching(await readImportGraph(ROOT), files, file => file.includes(text));
}
