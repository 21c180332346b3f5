import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readImportGraph } from './import-graph.ts';

/** The layers of a service, the lowest first. A file imports its own layer and lower ones. */
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
// The layers of the gateway are Fastify's: plugins and routes.
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
