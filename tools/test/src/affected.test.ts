import assert from 'node:assert/strict';
import { test } from 'node:test';
import { affectedTests } from './affected.ts';

const graph = new Map([
  ['services/media/src/plan.test.ts', ['services/media/src/plan.ts']],
  ['services/media/test/service.test.ts', ['services/media/src/service.ts']],
  ['services/media/src/service.ts', ['services/media/src/plan.ts', 'packages/kit-mongo/src/mongo.ts']],
  ['services/projects/test/claims.test.ts', ['packages/kit-mongo/src/mongo.ts']],
  ['packages/kit/src/config.test.ts', ['packages/kit/src/config.ts']],
]);
const tests = [...graph.keys()].filter(file => file.endsWith('.test.ts'));

test('selects the tests of the workspace that import a changed source file, directly or not', () => {
  assert.deepEqual(affectedTests(graph, tests, ['services/media/src/plan.ts']), {
    tests: ['services/media/src/plan.test.ts', 'services/media/test/service.test.ts'],
    elsewhere: 0,
  });
});

test('counts, but does not run, tests of other workspaces that import it', () => {
  assert.deepEqual(affectedTests(graph, tests, ['packages/kit-mongo/src/mongo.ts']), { tests: [], elsewhere: 2 });
});

test('runs a changed test', () => {
  const changed = ['packages/kit/src/config.test.ts'];
  assert.deepEqual(affectedTests(graph, tests, changed), { tests: changed, elsewhere: 0 });
});

test('another file selects all tests of its workspace; a document or a file outside selects none', () => {
  assert.deepEqual(affectedTests(graph, tests, ['services/media/package.json']).tests, [
    'services/media/src/plan.test.ts',
    'services/media/test/service.test.ts',
  ]);
  const documents = ['services/media/README.md', 'README.md', 'biome.json'];
  assert.deepEqual(affectedTests(graph, tests, documents), { tests: [], elsewhere: 0 });
});
