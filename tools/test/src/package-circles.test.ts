import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ImportGraph, readImportGraph } from './import-graph.ts';
import { ROOT } from './repository.ts';

// A test may use a package that is above its own.
const TEST = /\.test\.ts$|^(packages|services|tools|web)\/[^/]+\/test\//;

const packageOf = (file: string) => /^proto|^[^/]+\/[^/]+/.exec(file)![0];

/** Which packages each package imports, with one file that does so. */
function packageImports(graph: ImportGraph): Map<string, Map<string, string>> {
  const imports = new Map<string, Map<string, string>>();
  for (const [file, targets] of graph) {
    if (TEST.test(file)) continue;
    const own = packageOf(file);
    const known = imports.get(own) ?? new Map<string, string>();
    imports.set(own, known);
    for (const to of targets.map(packageOf)) if (to !== own) known.set(to, file);
  }
  return imports;
}

/** Returns the import by which `start` reaches itself, each step with its file; undefined without a circle. */
function circleFrom(start: string, imports: ReturnType<typeof packageImports>): string[] | undefined {
  const paths = new Map<string, string[]>([[start, []]]);
  for (const [name, path] of paths)
    for (const [to, file] of imports.get(name) ?? []) {
      const steps = [...path, `${name} → ${to} (${file})`];
      if (to === start) return steps;
      if (!paths.has(to)) paths.set(to, steps);
    }
  return undefined;
}

test('no package imports one that imports it, tests apart', async () => {
  const imports = packageImports(await readImportGraph(ROOT));
  assert.ok(imports.size > 20, 'too few packages were found');
  for (const name of imports.keys()) assert.equal(circleFrom(name, imports)?.join('\n'), undefined);
});
