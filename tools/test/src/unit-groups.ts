import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './repository.ts';
import { isLong, needsServers } from './test-files.ts';

const GROUP_FILES = 40;
// Matches tests that change state of the whole process (timers and methods, variables, OpenTelemetry's providers,
// listeners), or measure its memory.
const CHANGES_PROCESS =
  /\bmock\.(timers|method)|\bprocess\.(env\.\w+ \|?\|?=|on\(|once\(|exitCode|memoryUsage)|@opentelemetry\/|\bstartMeasured\(/;

/**
 * Returns the absolute paths of modules that run these test files, whose paths are relative to the repository. Starting
 * a process and loading shared modules takes longer than a unit test, so each module in `dir` imports several unit
 * tests. Tests that take long or change their process get separate processes.
 */
export async function groupUnitTests(files: readonly string[], dir: string): Promise<string[]> {
  const alone: string[] = [];
  const together: string[] = [];
  for (const file of files) {
    const path = resolve(ROOT, file);
    const isAlone = needsServers(file) || isLong(file) || CHANGES_PROCESS.test(await readFile(path, 'utf8'));
    (isAlone ? alone : together).push(path);
  }
  const groups: string[] = [];
  for (let at = 0; at < together.length; at += GROUP_FILES) {
    const group = resolve(dir, `unit-tests-${groups.length + 1}.mjs`);
    await writeFile(group, moduleOf(together.slice(at, at + GROUP_FILES)));
    groups.push(group);
  }
  return [...alone, ...groups];
}

/**
 * Returns the source of a module. A file that fails to load becomes a failing test, and the tests of the other files
 * still run.
 */
const moduleOf = (paths: readonly string[]): string => `import { test } from 'node:test';
for (const file of ${JSON.stringify(
  paths.map(path => pathToFileURL(path).href),
  undefined,
  2,
)})
  await import(file).catch(error => test(file, () => Promise.reject(error)));
`;
