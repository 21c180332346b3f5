import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
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

test('nothing in the image imports a workspace that is left out of it', async () => {
  const folders = ['packages/*', 'proto', 'services/*', 'web/*', 'tools/admin'];
  const found = await Array.fromAsync(
    glob(
      folders.map(folder => `${folder}/package.json`),
      { cwd: ROOT },
    ),
  );
  const inside = found.filter(file => !file.startsWith('packages/testing/'));
  const names = await Promise.all(inside.map(async file => JSON.parse(await readFile(join(ROOT, file), 'utf8')).name));
  const sources = inside.flatMap(file => ['*.ts', 'src/**/*.ts'].map(part => file.replace('package.json', part)));
  const missing: string[] = [];
  for await (const file of glob(sources, { cwd: ROOT, exclude: ['**/*.test.ts'] }))
    for (const [, name] of (await readFile(join(ROOT, file), 'utf8')).matchAll(/from '(@recording-request\/[^/']+)/g))
      if (!names.includes(name)) missing.push(`${file} imports ${name}`);
  assert.deepEqual(missing, []);
});
