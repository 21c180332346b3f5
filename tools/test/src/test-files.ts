import { hash } from 'node:crypto';
import { glob } from 'node:fs/promises';
import { reaching, readImportGraph } from './import-graph.ts';
import { ROOT } from './repository.ts';

// A test beside the source needs no server, but those of the tools that make clips and start servers need what is installed.
const WITH_SERVERS = /^test\/(?!.*\/src\/)|^[^/]+\/[^/]+\/test\/|^tools\/(stack|fixtures|demo)\//;

/** Whether a test file needs the real servers, or what they are installed with. */
export const needsServers = (file: string): boolean => WITH_SERVERS.test(file);

// They judge the manifests in deploy/, with programs that are built from Go modules for minutes.
const DEPLOY = /^tools\/k8s\/test\//;

/** Whether a test file belongs to `npm run check -- --deploy` and not to `npm test`. */
export const isDeployTest = (file: string): boolean => DEPLOY.test(file);

// They run the whole system, or try every alert for days of Prometheus's time, which fills the processor; most of the others wait.
const WHOLE_SYSTEM = /^test\/(?!.*\/src\/)|^tools\/(demo|observe)\/test\/|^tools\/observe\/src\/definitions\/rules\./;
// Each takes minutes: begun late, they would go on alone.
const LONGEST = /^test\/(system\/owner-api|browser\/(recovery|dashboard)|faults\/faults)\./;

/**
 * Returns every test file, relative to the repository. Those of the whole system stand evenly among the first of the
 * services' tests: side by side they would fill the processor first and leave it idle later. So would files in the order of their
 * names, as those of one folder mostly wait or mostly compute: they come in an order that is always the same and has none of that. Unit tests come last.
 */
export async function allTestFiles(): Promise<string[]> {
  const files = await Array.fromAsync(
    glob('{proto,packages,web,services,tools,test}/**/*.test.ts', {
      cwd: ROOT,
      exclude: name => name.endsWith('node_modules'),
    }),
  );
  const {
    unit = [],
    system = [],
    service = [],
  } = Object.groupBy(mixed(files), file => {
    if (WHOLE_SYSTEM.test(file)) return 'system';
    return needsServers(file) ? 'service' : 'unit';
  });
  const isShorter = (file: string) => !LONGEST.test(file);
  return [...spread([...system.filter(file => !isShorter(file)), ...system.filter(isShorter)], service), ...unit];
}

const mixed = (files: readonly string[]) =>
  files.toSorted((one, other) => (hash('sha256', one) < hash('sha256', other) ? -1 : 1));

/** Returns all of both lists in their order, the first list's at even distances within three quarters of the second. */
export function spread<T>(few: readonly T[], many: readonly T[]): T[] {
  const step = (many.length * 0.75) / Math.max(1, few.length);
  const at = (item: T, place: number) => ({ item, place });
  return [...few.map((item, i) => at(item, i * step - 0.5)), ...many.map(at)]
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/**
 * Returns the test files with `text` in their path or, when there is none, those that import a file whose path has it. Without a text
 * it returns all test files but those of the manifests.
 */
export async function testFilesFor(text: string): Promise<string[]> {
  const files = await allTestFiles();
  if (text === '') return files.filter(file => !isDeployTest(file));
  const named = files.filter(file => file.includes(text));
  return named.length > 0 ? named : reaching(await readImportGraph(ROOT), files, file => file.includes(text));
}
