import assert from 'node:assert/strict';
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { filledIn, fillIn } from '../src/filled-in.ts';
import { type Builder, openBuilder } from '../src/images/builder.ts';
import { withFilesOf } from '../src/images/contents.ts';
import { buildCheck, builtImage } from '../src/images/product.ts';
import { placeIn } from '../src/lab/place.ts';
import { PRODUCTION, ROOT } from '../src/repository.ts';
import { configOf, runInside } from './inside-image.ts';
import { EXAMPLE } from './rendered-chart.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root, to build an image';
const IMAGE = builtImage('check');
const context = { env: process.env, log: (line: string) => console.error(line) };
let builder: Builder;
let run: Awaited<ReturnType<typeof tempDir>>;

before(async () => {
  if (skip) return;
  run = await tempDir();
  builder = await openBuilder(placeIn(run.path, process.env), context);
  await buildCheck(builder, context);
});
after(() => run?.[Symbol.asyncDispose]());

/** Makes a folder that the image's user may read, like a Git checkout. */
async function checkout() {
  const dir = await tempDir();
  await chmod(dir.path, 0o755);
  return dir;
}

/** The mount point of the user's folder in the image. */
const WORKDIR = '/work';

/** Runs the image with a folder mounted. Resolves to its exit status and its lines. */
async function check({ from, at = WORKDIR }: { from: string; at?: string }, ...args: string[]) {
  const config = await configOf(builder, IMAGE);
  const { code, stdout, stderr } = await withFilesOf(builder, IMAGE, root =>
    runInside({ root, config }, { from, at }, args),
  );
  return { code, lines: stdout.trim().split('\n'), stderr };
}

const ACCEPTED = /^\d+ objects without faults$/;

test('checks a copy of the manifests with an overlay in it', { skip }, async () => {
  await using dir = await checkout();
  await cp(join(ROOT, 'deploy/k8s'), join(dir.path, 'deploy/k8s'), { recursive: true });
  const mine = join(dir.path, 'deploy/k8s/overlays/mine');
  await cp(PRODUCTION, mine, { recursive: true });
  await fillIn(mine);
  const folders = ['deploy/k8s/overlays/mine', 'deploy/k8s/overlays/mine/admin'];
  const accepted = await check({ from: dir.path }, ...folders);
  assert.equal(accepted.code, 0, accepted.lines.join('\n') + accepted.stderr);
  assert.match(accepted.lines.at(-1)!, ACCEPTED);
  await writeFile(
    join(mine, 'settings.env'),
    `${await readFile(join(mine, 'settings.env'), 'utf8')}\nRETENTION_DAY=30\n`,
  );
  const refused = await check({ from: dir.path }, ...folders);
  assert.deepEqual([refused.code, refused.lines.at(-1)], [1, '1 fault'], refused.stderr);
  assert.match(refused.lines.join('\n'), /RETENTION_DAY/);
});

test('checks an overlay without the manifests: beside those of the image, and with a Git repository as its base', {
  skip,
}, async () => {
  await using dir = await checkout();
  await cp(PRODUCTION, dir.path, { recursive: true });
  await fillIn(dir.path);
  await rm(join(dir.path, 'admin'), { recursive: true });
  const at = '/app/deploy/k8s/overlays/mine';
  const beside = await check({ from: dir.path, at }, at);
  assert.equal(beside.code, 0, beside.lines.join('\n') + beside.stderr);
  const file = join(dir.path, 'kustomization.yaml');
  const text = await readFile(file, 'utf8');
  await writeFile(
    file,
    text.replace(/- \.\.\/\.\.\/(.*)/g, '- https://git.corp.internal/clips.git//deploy/k8s/$1?ref=v1.0.0'),
  );
  const remote = await check({ from: dir.path }, '.');
  assert.equal(remote.code, 0, remote.lines.join('\n') + remote.stderr);
  assert.equal(remote.lines.at(-1), beside.lines.at(-1));
  assert.equal(remote.lines.filter(line => /git\.corp\.internal.* use the check of the version/.test(line)).length, 1);
});

test('checks values of the chart, and prints its help', { skip }, async () => {
  await using dir = await checkout();
  await mkdir(join(dir.path, 'ours'));
  await writeFile(join(dir.path, 'ours/values.yaml'), filledIn(await readFile(EXAMPLE, 'utf8')));
  const accepted = await check({ from: dir.path }, '--values', 'ours/values.yaml');
  assert.equal(accepted.code, 0, accepted.lines.join('\n') + accepted.stderr);
  assert.match(accepted.lines.at(-1)!, ACCEPTED);
  const help = await check({ from: dir.path }, '--help');
  assert.equal(help.code, 0);
  assert.match(
    help.lines[0]!,
    /^docker run --rm --network none -v "\$PWD:\/work:ro" REGISTRY\/recording-request-check DIR…$/,
  );
  assert.equal((await check({ from: dir.path }, 'nowhere')).code, 2);
  await chmod(join(dir.path, 'ours'), 0o700);
  const unreadable = await check({ from: dir.path }, 'ours');
  assert.deepEqual([unreadable.code, unreadable.stderr], [2, `${WORKDIR}/ours may not be read by user 1000.\n`]);
});
