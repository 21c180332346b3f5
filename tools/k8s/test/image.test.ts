import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { nodeFlags } from '@recording-request/stack/cluster';
import { readCompose } from '../src/compose.ts';
import { instructionsOf, stagesOf } from '../src/images/dockerfile.ts';
import { IMAGES, NAMES, TARGETS, type Target } from '../src/images/product.ts';
import { ensureManifestTools } from '../src/install.ts';
import { type Manifest, parse, render } from '../src/manifests.ts';
import { LOCAL, ROOT, readEnvFile, serviceNames } from '../src/repository.ts';

const dockerfile = await readFile(join(ROOT, 'deploy/Dockerfile'), 'utf8');
const stages = stagesOf(dockerfile);
const instructions = stages.flatMap(stage => stage.instructions);
const read = (file: string) => readFile(join(ROOT, file), 'utf8');
const found = async (pattern: string | string[]) =>
  await Array.fromAsync(glob(pattern, { cwd: ROOT, exclude: ['**/*.test.ts', '**/node_modules/**'] }));

/** Returns the folders of workspaces in the build's context: the folders that .dockerignore admits. */
const workspaces = (
  await found(
    ['packages/*', 'proto', 'services/*', 'web/*', 'tools/{admin,harness,k8s,stack}'].map(
      each => `${each}/package.json`,
    ),
  )
)
  .filter(file => !file.startsWith('packages/testing/'))
  .map(file => file.replace('/package.json', ''));

/**
 * Returns the workspaces of an image: all workspaces, except the workspaces that the target's `rm` in the stage
 * `manifests` removes.
 */
function workspacesOf(target: Target): string[] {
  const removed = new RegExp(`cd /${target} && rm -rf ([^&\\n]+)`).exec(dockerfile)?.[1]?.trim().split(' ');
  assert.ok(removed, `the stage manifests removes folders from /${target}`);
  const isRemoved = (workspace: string) => removed.some(path => `${workspace}/`.startsWith(`${path}/`));
  return workspaces.filter(workspace => !isRemoved(workspace));
}

/** Returns whether a service starts ffmpeg. Such a service opens the sandbox for ffmpeg. */
async function startsFfmpeg(service: string): Promise<boolean> {
  const sources = await found(`services/${service}/src/**/*.ts`);
  const texts = await Promise.all(sources.map(read));
  return texts.some(text => text.includes('openSandbox('));
}

/**
 * Returns the workloads of our images in the overlay and in Compose, with the image's name without a tag and the
 * arguments.
 */
async function runningOf(): Promise<{ what: string; image: string; entry: string }[]> {
  const tools = await ensureManifestTools({ env: process.env, log: line => console.error(line) });
  const objects = parse(`${await render(tools, LOCAL)}\n---\n${await read('deploy/k8s/backup/cronjob.yaml')}`);
  const env = await readEnvFile(join(ROOT, 'deploy/compose.example.env'));
  const filled = Object.fromEntries(Object.keys(env).map(name => [name, env[name] || 'x']));
  const compose = await readCompose(join(ROOT, 'deploy/compose.yaml'), filled);
  return [
    ...objects.flatMap(object => {
      const { containers = [] } = podOf(object) ?? {};
      return containers.map(({ image, args = [] }: { image: string; args?: string[] }) => ({
        what: `${object.kind} ${object.metadata.name}`,
        image: image.split(':')[0]!,
        entry: args[0] ?? '',
      }));
    }),
    ...Object.entries(compose).map(([name, { image, command }]) => ({
      what: `Compose's ${name}`,
      image: image.split(':')[0]!,
      entry: command[0]!,
    })),
  ].filter(({ image }) => image.startsWith('recording-request'));
}

function podOf({ kind, spec }: Manifest) {
  if (kind === 'Pod') return spec;
  if (kind === 'CronJob') return spec.jobTemplate.spec.template.spec;
  return spec?.template?.spec;
}

test('the images start from the version of Node that package.json pins', async () => {
  const { devDependencies } = JSON.parse(await read('package.json'));
  assert.equal(/^ARG NODE_IMAGE=\S+\/node:([\d.]+)-/m.exec(dockerfile)?.[1], devDependencies.node);
});

test('the images install exactly the lockfile', () => {
  const installs = instructions.flatMap(line => line.match(/\bnpm (?:ci|i|install|add)\b[^&|]*/g) ?? []);
  const trimmed = installs.map(words => words.trim());
  const plain = 'npm ci --ignore-scripts --no-audit --no-fund';
  assert.deepEqual(trimmed, [plain.replace('ci', 'ci --omit=dev'), plain]);
});

test('the image that checks has a Go that builds its programs, and the files that build them', async () => {
  const [, version = ''] = /^ARG GO_IMAGE=\S+\/golang:(1\.\d+)\.\d+-bookworm$/m.exec(dockerfile) ?? [];
  assert.equal(/^go (\S+)$/m.exec(await read('tools/k8s/pod-security/go.mod'))?.[1], version);
  const copied = instructionsOf(stages, 'programs').join('\n');
  const seen = new Set<string>();
  const visit = async (file: string): Promise<void> => {
    if (seen.has(file)) return;
    seen.add(file);
    const imports = (await read(file)).matchAll(
      /^import (?!type )[^']* from '(?:(\.[^']*)|@recording-request\/stack\/([^']*))'/gm,
    );
    for (const [, near, inStack] of imports)
      await visit(near ? join(dirname(file), near) : `tools/stack/src/${inStack}.ts`);
  };
  await visit('tools/k8s/src/make-programs.ts');
  const isCopied = (file: string) => copied.includes(file) || copied.includes(`COPY ${dirname(file)} `);
  assert.deepEqual(
    [...seen].filter(file => !isCopied(file)),
    [],
  );
});

test('the images consist of files only: no command runs in them, and they keep no build layer', () => {
  for (const target of IMAGES) {
    const own = instructionsOf(stages, target);
    assert.deepEqual(
      own.filter(line => line.startsWith('RUN')),
      [],
    );
    assert.ok(own.includes('USER 1000:1000'), `the image of the ${target} has a numeric user`);
    assert.equal(stages.find(({ name }) => name === 'base')?.from, 'scratch');
    for (const line of own.filter(each => each.startsWith('COPY')))
      assert.match(line, /^COPY --from=(roots|modules|code|compiled|programs) /, `${target}: ${line}`);
  }
});

test('each image has its compiled modules where Node looks for them', () => {
  for (const target of TARGETS) {
    const own = instructionsOf(stages, target);
    assert.ok(
      own.includes(`COPY --from=compiled /compiled/${target} ./compiled`),
      `the image of the ${target} has them`,
    );
    assert.ok(
      own.some(line => /^ENV .*\bNODE_COMPILE_CACHE=\/app\/compiled$/.test(line)),
      'Node knows their location',
    );
  }
});

test('the images start Node with the same options as npm start and the tests', () => {
  const flags = nodeFlags('').map(each => (each.startsWith('packages/') ? `./${each}` : each));
  for (const target of TARGETS) {
    const [entrypoint] = instructionsOf(stages, target).filter(line => line.startsWith('ENTRYPOINT'));
    assert.deepEqual(JSON.parse(entrypoint!.replace('ENTRYPOINT ', '')), ['node', ...flags]);
  }
});

test('only the image of the workers has ffmpeg', () => {
  assert.deepEqual(
    instructions.filter(line => line.includes('--from=ffmpeg')),
    ['COPY --from=ffmpeg /ffmpeg workers'],
  );
  const has = (target: Target) => instructionsOf(stages, target).includes('COPY --from=roots /build/workers /');
  assert.deepEqual([has('services'), has('workers')], [false, true]);
});

test('every workload has an image with its program, and with ffmpeg if it starts ffmpeg', async () => {
  const running = await runningOf();
  const services = await serviceNames();
  for (const name of services)
    assert.equal(
      running.filter(({ entry }) => entry === `services/${name}/src/main.ts`).length,
      2,
      `${name} runs in Kubernetes and with Compose`,
    );
  for (const { what, image, entry } of running) {
    const target = TARGETS.find(each => NAMES[each] === image) ?? assert.fail(`${what} runs ${image}`);
    // The operator's pod only sleeps. The operator starts the admin tool in this pod.
    const workspace = entry.startsWith('--') ? 'tools/admin' : entry.split('/src/')[0]!;
    assert.ok(workspacesOf(target).includes(workspace), `${what} runs ${image}, which has no ${workspace}`);
    const service = /^services\/([a-z]+)$/.exec(workspace)?.[1];
    const needs = service !== undefined && (await startsFfmpeg(service));
    assert.equal(target === 'workers', needs, `${what} ${needs ? 'starts' : 'never starts'} ffmpeg and runs ${image}`);
  }
});

for (const target of TARGETS)
  test(`nothing in the image of the ${target} imports a workspace that the image lacks`, async () => {
    const inside = workspacesOf(target);
    const names = await Promise.all(inside.map(async folder => JSON.parse(await read(`${folder}/package.json`)).name));
    const all = await found(inside.flatMap(folder => [`${folder}/*.ts`, `${folder}/src/**/*.ts`]));
    // The gateway shows these programs, and does not run them.
    const sources = all.filter(file => !file.includes('/docs/samples/'));
    assert.ok(sources.length > 100);
    const missing: string[] = [];
    for (const file of sources)
      for (const [, name] of (await read(file)).matchAll(/from '(@recording-request\/[^/']+)/g))
        if (!names.includes(name)) missing.push(`${file} imports ${name}`);
    assert.deepEqual(missing, []);
  });

test('the build keeps all decoders of ffmpeg, and the encoders, filters and containers that media uses', async () => {
  assert.ok(instructions.some(line => line.includes('compile.sh /ffmpeg/usr/bin')));
  const configure = await read('deploy/ffmpeg/compile.sh');
  assert.doesNotMatch(configure, /--disable-(?:everything|decoders|parsers|bsfs|swscale|swresample)/);
  const listed = (kind: string) => new RegExp(`--enable-${kind}=(\\S+)`).exec(configure)?.[1]?.split(',') ?? [];
  const sources = await found(['services/media/src/**/*.ts', 'services/transcription/src/**/*.ts']);
  const text = (await Promise.all(sources.map(read))).join('\n');
  const asked = [...text.matchAll(/'-c:a', '(\w+)'/g)].map(([, name]) => name!).filter(name => name !== 'copy');
  assert.deepEqual(
    asked.filter(name => !listed('encoder').includes(name)),
    [],
  );
  for (const name of ['scale', 'setsar', 'lutrgb', 'colorchannelmixer', 'aresample', 'pan', 'highpass', 'lowpass']) {
    assert.match(text, new RegExp(`\\b${name}=`));
    assert.ok(listed('filter').includes(name));
  }
});
