import assert from 'node:assert/strict';
import { glob } from 'node:fs/promises';
import { test } from 'node:test';
import { CALLERS, callers, OPERATOR } from './callers.ts';
import { REPEATABLE } from './repeatable.ts';

interface Definition {
  [method: string]: { path: string };
}

/** Returns the path of every RPC of the protocol. */
async function everyRpc(): Promise<string[]> {
  const paths: string[] = [];
  for await (const file of glob('gen/recording/**/*.ts', { cwd: import.meta.dirname })) {
    const module = (await import(`./${file}`)) as Record<string, unknown>;
    for (const [name, definition] of Object.entries(module))
      if (name.endsWith('ServiceService'))
        paths.push(...Object.values(definition as Definition).map(({ path }) => path));
  }
  return paths.sort();
}

test('every RPC has a line with its callers, and no line names an unknown RPC', async () => {
  const all = await everyRpc();
  assert.ok(all.length > 50, 'the protocol was found');
  assert.deepEqual(Object.keys(CALLERS).sort(), all);
  for (const [path, names] of Object.entries(CALLERS)) assert.ok(names.length > 0, `${path} has a caller`);
});

test('only the operator may call the operator services, and only on their own listener', () => {
  for (const [path, names] of Object.entries(CALLERS)) {
    if (path.includes('.operator.')) assert.deepEqual(names, [OPERATOR], path);
    assert.ok(!callers.services(path).includes(OPERATOR), path);
    assert.deepEqual(callers.operator(path), names.includes(OPERATOR) ? [OPERATOR] : [], path);
  }
});

test('each repeatable RPC exists, and none creates something new', () => {
  for (const path of REPEATABLE) {
    assert.ok(Object.hasOwn(CALLERS, path), `${path} is an RPC`);
    assert.doesNotMatch(path, /\/(Create|Rotate|Send|Redeliver|Erase|Export$)/, path);
  }
});

test('an RPC without a line has no caller', () => {
  for (const path of ['/recording.projects.v1.ProjectsService/DropEverything', 'constructor', '__proto__', ''])
    assert.deepEqual([...callers.services(path), ...callers.operator(path)], [], path);
});
