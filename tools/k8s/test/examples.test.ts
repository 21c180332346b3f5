import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { environmentOf } from '../src/environment.ts';
import { fillIn } from '../src/filled-in.ts';
import { ensureHelm, ensureManifestTools } from '../src/install.ts';
import { type Manifest, parse, podOf, render } from '../src/manifests.ts';
import { PRODUCTION, ROOT, readConfigOf, serviceNames } from '../src/repository.ts';
import { openChart } from './rendered-chart.ts';

const runFile = promisify(execFile);
const context = { env: process.env, log: (line: string) => console.error(line) };
const tools = await ensureManifestTools(context);
const chart = await openChart(tools, await ensureHelm(context));
after(() => chart[Symbol.asyncDispose]());

const EXAMPLES_DIR = join(ROOT, 'deploy/examples');
const dir = await tempDir();
after(() => dir[Symbol.asyncDispose]());
// A copy with values of an installation. Every relative path in it stays valid.
await cp(join(ROOT, 'deploy/k8s'), join(dir.path, 'k8s'), { recursive: true });
await cp(EXAMPLES_DIR, join(dir.path, 'examples'), { recursive: true });
await fillIn(join(dir.path, 'examples'));
const folderOf = (example: string) => join(dir.path, 'examples', example);
/** The examples, and the values files of each. */
const EXAMPLES = { cloud: ['cloud'], confluent: ['cloud', 'confluent'], private: ['private'] };

interface Example {
  overlay: string;
  helm: string;
}
const rendered: Record<string, Example> = {};
for (const [name, values] of Object.entries(EXAMPLES))
  rendered[name] = {
    overlay: await render(tools, folderOf(name)),
    helm: await chart.template({}, ...values.map(each => join(folderOf(each), 'values.yaml'))),
  };

for (const [name, { overlay, helm }] of Object.entries(rendered)) {
  test(`${name}: the overlay and the chart have the same settings, networks, route, scaling and identities`, () => {
    assert.deepEqual(partsOf(helm), partsOf(overlay));
  });

  test(`${name}: each workload reads exactly the keys of its Secret, and every service accepts its configuration`, async () => {
    const objects = parse(overlay);
    const secrets = objects.filter(({ kind }) => kind === 'ExternalSecret').map(secretOf);
    const workloads = objects.filter(({ kind }) => /^(Deployment|Job|CronJob)$/.test(kind));
    for (const workload of workloads) {
      const read = secretsReadBy(workload);
      const own = secrets.find(({ metadata }) => metadata.name === read[0]?.name) ?? { stringData: {} };
      const known = read.map(({ key }) => key);
      const optional = new Set(read.filter(each => each.optional).map(({ key }) => key));
      const missing = known.filter(key => !(key in own.stringData) && !optional.has(key));
      assert.deepEqual(missing, [], `${workload.metadata.name} needs`);
      assert.deepEqual(
        Object.keys(own.stringData).filter(key => !known.includes(key)),
        [],
        `${workload.metadata.name} does not read`,
      );
    }
    for (const service of await serviceNames()) {
      const deployment = workloads.find(({ metadata }) => metadata.name === service)!;
      await readConfigOf(
        service,
        withoutFiles(environmentOf(withoutMissing(deployment, secrets), [...objects, ...secrets])),
      );
    }
  });
}

for (const [name, values] of Object.entries(EXAMPLES))
  test(`${name}: check:overlay accepts the overlay and the values once the placeholders are replaced`, async () => {
    const files = values.flatMap(each => ['--values', join(folderOf(each), 'values.yaml')]);
    for (const args of [[folderOf(name)], files]) assert.deepEqual(await checked(args), []);
  });

test('check:overlay names the placeholders of the examples, and nothing else', async () => {
  for (const name of ['cloud', 'private']) {
    const faults = (await checked([join(EXAMPLES_DIR, name)])).slice(0, -1);
    assert.ok(faults.length > 5);
    assert.deepEqual(
      faults.filter(line => !line.includes('is a placeholder')),
      [],
    );
  }
});

/** Runs check:overlay. Returns the lines of its faults; none if it finds none. */
async function checked(args: string[]): Promise<string[]> {
  const program = join(ROOT, 'tools/k8s/src/overlay/main.ts');
  const { code = 0, stdout } = (await runFile(process.execPath, [program, ...args]).catch(error => error)) as {
    code?: number;
    stdout: string;
  };
  return code === 0
    ? []
    : stdout
        .trim()
        .split('\n')
        .filter(line => !line.startsWith('Note: '));
}

test('a copy of an example requires the same values as the production overlay', async () => {
  const wanted = await readFile(join(PRODUCTION, 'required.yaml'), 'utf8');
  for (const name of ['cloud', 'private'])
    assert.equal(await readFile(join(EXAMPLES_DIR, name, 'required.yaml'), 'utf8'), wanted, name);
});

test('the README of each example is short', async () => {
  for (const name of Object.keys(EXAMPLES)) {
    const text = await readFile(join(EXAMPLES_DIR, name, 'README.md'), 'utf8');
    assert.ok(text.split(/\s+/).length <= 250, name);
  }
});

/** Returns the parts of rendered objects that come from the operator's own files. */
function partsOf(text: string) {
  const objects = parse(text).filter(
    ({ metadata }) => !metadata.annotations?.['helm.sh/hook'] || metadata.name === 'migrate',
  );
  const ofKind = (kind: string, part: (object: Manifest) => unknown) =>
    Object.fromEntries(objects.filter(each => each.kind === kind).map(each => [each.metadata.name, part(each)]));
  const settings = objects.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && /^settings-[a-z0-9]{10}$/.test(metadata.name),
  );
  assert.ok(settings);
  return {
    settings: settings.data,
    policies: ofKind('NetworkPolicy', ({ spec }) => spec),
    routes: ofKind('HTTPRoute', ({ spec }) => spec),
    scaling: ofKind('ScaledObject', ({ spec }) => spec),
    roles: ofKind('ServiceAccount', ({ metadata }) => metadata.annotations?.['eks.amazonaws.com/role-arn']),
    images: ofKind('Deployment', object => podOf(object)!.spec.containers[0].image),
    secrets: ofKind('Deployment', secretsReadBy),
  };
}

interface KeyReference {
  name: string;
  key: string;
  optional?: boolean;
}

const secretsReadBy = (workload: Manifest): KeyReference[] =>
  podOf(workload)!.spec.containers[0].env.flatMap(
    (each: { valueFrom?: { secretKeyRef?: KeyReference } }) => each.valueFrom?.secretKeyRef ?? [],
  );

const VALUES: Readonly<Record<string, string>> = {
  SECRETS_KEY: `k1:${Buffer.alloc(32).toString('base64')}`,
  MONGO_URL: 'mongodb+srv://user:password@clips.example.com/',
  REDIS_URL: 'rediss://default:password@redis.example.com:6379',
};

/** Returns the Secret that the external secrets operator creates. */
function secretOf({ metadata: { namespace }, spec }: Manifest) {
  const data = (spec.data as { secretKey: string }[]).map(({ secretKey }) => [
    secretKey,
    VALUES[secretKey] ?? 'a-value',
  ]);
  const stringData = Object.fromEntries(data) as Record<string, string>;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: String(spec.target.name), namespace: namespace! },
    stringData,
  };
}

/** Returns the workload without the optional variables whose Secret has no key. */
function withoutMissing(workload: Manifest, secrets: ReturnType<typeof secretOf>[]): Manifest {
  const copy = structuredClone(workload);
  const [container] = podOf(copy)!.spec.containers;
  container.env = container.env.filter(({ valueFrom }: { valueFrom?: { secretKeyRef?: KeyReference } }) => {
    const { name, key, optional } = valueFrom?.secretKeyRef ?? {};
    return !optional || secrets.some(({ metadata, stringData }) => metadata.name === name && key! in stringData);
  });
  return copy;
}

/** Returns the environment without the files that exist only in a pod. */
const withoutFiles = (env: Record<string, string>): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !/_FILE$/.test(name))),
  INTERNAL_PLAINTEXT: 'true',
  SUBMISSIONS_HTTP: 'http://submissions-http:8080',
});
