import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from './testing/temp-dir.ts';

interface Step {
  what: string;
  npm: string[];
}
interface Bootstrap {
  prepare(root: string, runNpm: (step: Step) => Promise<void>): Promise<string[]>;
}
// bootstrap.mjs is plain JavaScript without types, because it also runs on a Node without type stripping.
const { prepare }: Bootstrap = await import(new URL('../../bootstrap.mjs', import.meta.url).href);

async function repository(root: string) {
  await mkdir(join(root, 'proto/a/v1'), { recursive: true });
  await writeFile(join(root, 'proto/a/v1/a.proto'), 'syntax = "proto3";');
  await writeFile(join(root, 'package-lock.json'), '{}');
  const ran: string[] = [];
  const runNpm = async ({ npm }: Step) => {
    ran.push(npm.join(' '));
    if (npm[0] === 'install') {
      await rm(join(root, 'node_modules'), { recursive: true, force: true });
      await mkdir(join(root, 'node_modules/.bin'), { recursive: true });
      await writeFile(join(root, 'node_modules/.bin/node'), '');
    } else {
      await mkdir(join(root, 'proto/gen'), { recursive: true });
      await writeFile(join(root, 'proto/gen/a.ts'), '');
    }
  };
  return async () => {
    ran.length = 0;
    await prepare(root, runNpm);
    return ran.map(command => command.split(' ')[0]);
  };
}

test('installs packages and generates code once, and again when their sources change', async () => {
  await using dir = await tempDir();
  const prepared = await repository(dir.path);
  assert.deepEqual(await prepared(), ['install', 'run']);
  assert.deepEqual(await prepared(), []);

  await writeFile(join(dir.path, 'proto/a/v1/a.proto'), 'syntax = "proto3"; package a.v1;');
  assert.deepEqual(await prepared(), ['run']);

  // The scripts of the pages are built from the sources of the pages and of the contract.
  for (const folder of ['web/shared/src', 'packages/contract/src']) {
    await mkdir(join(dir.path, folder), { recursive: true });
    await writeFile(join(dir.path, folder, 'a.ts'), '');
    assert.deepEqual(await prepared(), ['run'], folder);
  }

  await rm(join(dir.path, 'proto/gen'), { recursive: true });
  assert.deepEqual(await prepared(), ['run']);

  // With another lockfile, npm may install another code generator.
  await writeFile(join(dir.path, 'package-lock.json'), '{"a":1}');
  assert.deepEqual(await prepared(), ['install', 'run']);

  await rm(join(dir.path, 'node_modules'), { recursive: true });
  assert.deepEqual(await prepared(), ['install', 'run']);
  assert.deepEqual(await prepared(), []);
});

test('repeats a failed step the next time', async () => {
  await using dir = await tempDir();
  const prepared = await repository(dir.path);
  const failing = prepare(dir.path, () => Promise.reject(new Error('npm install failed')));
  await assert.rejects(failing, /npm install failed/);
  assert.deepEqual(await prepared(), ['install', 'run']);
});
