import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { readImportGraph } from './import-graph.ts';

/** The layers of a service, the lowest first. A file may import from its own layer and from lower layers. */
const LAYERS = [
  ['domain'],
  ['messages.ts', 'config.ts'],
  ['store', 'adapters', 'memory'],
  ['delivery'],
  ['context.ts'],
  ['workflows'],
  ['rpc', 'consumers', 'tus'],
  ['service.ts', 'migrate.ts'],
  ['main.ts'],
];
// Excludes the gateway, whose layers are Fastify's: plugins and routes.
const SERVICE = /^services\/(?!gateway\/)\w+\/src\//;

const root = new URL('../../../', import.meta.url).pathname;
const isTest = (file: string): boolean => file.endsWith('.test.ts') || /^\w+\/[\w-]+\/test\//.test(file);
const graph = await readImportGraph(root);

function layerOf(file: string): number {
  const [, , , name] = file.split('/');
  const layer = LAYERS.findIndex(names => names.includes(name!));
  assert.notEqual(layer, -1, `${file} is in no layer`);
  return layer;
}

test('within a service no layer imports a higher one', () => {
  const upwards: string[] = [];
  for (const [file, targets] of graph) {
    if (!SERVICE.test(file) || isTest(file)) continue;
    const inside = targets.filter(target => SERVICE.test(target));
    for (const target of inside) if (layerOf(target) > layerOf(file)) upwards.push(`${file} imports ${target}`);
  }
  assert.deepEqual(upwards, []);
});

const packageOf = (file: string) => /^proto|^[^/]+\/[^/]+/.exec(file)![0];

function packageImports(): Map<string, Map<string, string>> {
  const imports = new Map<string, Map<string, string>>();
  for (const [file, targets] of graph) {
    if (isTest(file)) continue;
    const own = packageOf(file);
    const known = imports.get(own) ?? new Map<string, string>();
    imports.set(own, known);
    for (const to of targets.map(packageOf)) if (to !== own) known.set(to, file);
  }
  return imports;
}

/**
 * Returns the chain of imports that leads from `start` back to `start`, with the file of each import; undefined if
 * there is no cycle.
 */
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

// Excludes tests, because a test may use a package above its own.
test('no package imports one that imports it, tests apart', () => {
  const imports = packageImports();
  assert.ok(imports.size > 20, 'too few packages were found');
  for (const name of imports.keys()) assert.equal(circleFrom(name, imports)?.join('\n'), undefined);
});

test('each package declares the packages that it imports, tests apart, and no other', async () => {
  const manifest = async (folder: string) => JSON.parse(await readFile(`${root}${folder}/package.json`, 'utf8'));
  for (const [own, imported] of packageImports()) {
    if (own.startsWith('test/') || own.endsWith('.mjs')) continue;
    const { name, dependencies = {} } = await manifest(own);
    const declared = Object.keys(dependencies).filter(each => each.startsWith('@recording-request/'));
    const needed = await Promise.all([...imported.keys()].map(async folder => (await manifest(folder)).name as string));
    assert.deepEqual(declared.toSorted(), needed.toSorted(), name);
  }
});
