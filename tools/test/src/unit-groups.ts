import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './repository.ts';
import { needsServers } from './test-files.ts';

const GROUP_FILES = 40;
// What a test changes for the whole process: timers and methods, variables, OpenTelemetry's providers, what is listened to. What it measures of it: memory.
const CHANGES_PROCESS =
  /\bmock\.(timers|method)|\bprocess\.(env\.\w+ \|?\|?=|on\(|once\(|exitCode|memoryUsage)|@opentelemetry\//;

/**
 * Returns the absolute paths of the modules to run for these test files, which are relative to the repository. Of unit tests starting the process and
 * loading what they share takes longer than the tests: those that leave their process as it was are imported, some at a time, by
 * modules that are written into `dir`.
 */
export async function groupUnitTests(files: readonly string[], dir: string): Promise<string[]> {
  const alone: string[] = [];
  const together: string[] = [];
  for (const file of files) {
    const path = resolve(ROOT, file);
    const isAlone = needsServers(file) || CHANGES_PROCESS.test(await readFile(path, 'utf8'));
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

/** One that cannot be loaded is a test that fails, beside those of the others. */
const moduleOf = (paths: readonly string[]): string => `import { test } from 'node:test';
for (const file of ${JSON.stringify(
  paths.map(path => pathToFileURL(path).href),
  undefined,
  2,
)})
  await import(file).catch(error => test(file, () => Promise.reject(error)));
`;
