import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../src/repository.ts';

const dockerfile = await readFile(join(ROOT, 'deploy/Dockerfile'), 'utf8');

test('the image starts from the version of Node that package.json pins', async () => {
  const { devDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  assert.equal(/^ARG NODE_IMAGE=\S+\/node:([\d.]+)-/m.exec(dockerfile)?.[1], devDependencies.node);
});

test('what the image installs is what the lockfile says', () => {
  const installs = dockerfile.match(/\bnpm (?:ci|i|install|add)\b/g);
  assert.deepEqual(installs, ['npm ci', 'npm ci']);
});
