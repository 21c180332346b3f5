import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { parse as parseYaml, stringify } from 'yaml';
import { faultsOf } from '../src/faults.ts';
import { ensureHelm, ensureManifestTools } from '../src/install.ts';
import { parse, render } from '../src/manifests.ts';
import { ROOT } from '../src/repository.ts';
import { EXAMPLE, isHook, openChart } from './rendered-chart.ts';

const context = { env: process.env, log: (line: string) => console.error(line) };
const tools = await ensureManifestTools(context);
const chart = await openChart(tools, await ensureHelm(context));
after(() => chart[Symbol.asyncDispose]());

/** The policy that each network fills. */
const POLICIES: Record<string, string> = { edge: 'from-edge', dns: 'dns', mongo: 'to-mongo', redis: 'to-redis' };

function rulesOf(text: string, network: string): object[] {
  const policy = parse(text).find(each => each.metadata.name === POLICIES[network] && !isHook(each));
  return policy!.spec[network === 'edge' ? 'ingress' : 'egress'];
}

/** Renders a copy of the production overlay with these networks. */
async function productionWith(networks: object): Promise<string> {
  await using dir = await tempDir();
  await cp(join(ROOT, 'deploy/k8s'), dir.path, { recursive: true });
  const folder = join(dir.path, 'overlays/production');
  const file = join(folder, 'installation.yaml');
  const values = parseYaml(await readFile(file, 'utf8'));
  Object.assign(values.networks, networks);
  await writeFile(file, stringify(values));
  return await render(tools, folder);
}

const toRedis = (ipBlock: object) => [{ to: [{ ipBlock }], ports: [{ port: 6379 }] }];
const inNamespace = (name: string) => ({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } });

test('networks may have any rules of a NetworkPolicy, as in the overlay', async () => {
  const networks = {
    redis: [
      {
        to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } }, { ipBlock: { cidr: '::ffff:10.0.0.1/128' } }],
        ports: [{ port: 6379, endPort: 6380, protocol: 'TCP' }],
      },
      { to: [{ ...inNamespace('redis'), podSelector: {} }], ports: [{ port: 'redis' }] },
    ],
    mongo: [
      {
        to: [{ podSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['mongo'] }] } }],
        ports: [{ port: 27_017 }],
      },
    ],
    edge: [{ from: [inNamespace('edge'), { ipBlock: { cidr: '10.9.0.0/24' } }] }],
    dns: [{ to: [inNamespace('openshift-dns')], ports: [{ port: 5353, protocol: 'UDP' }] }],
  };
  const text = await chart.template({ networks }, EXAMPLE);
  assert.equal(await faultsOf(tools, text), '');
  for (const [name, rules] of Object.entries(networks)) assert.deepEqual(rulesOf(text, name), rules, name);
  const { redis: _, ...installed } = networks;
  const overlay = await productionWith(installed);
  assert.equal(await faultsOf(tools, overlay), '');
  for (const [name, rules] of Object.entries(installed)) assert.deepEqual(rulesOf(overlay, name), rules, name);
});

for (const [networks, told] of [
  [{ mongo: { cidrs: ['10.1.0.0/24'], ports: [27_017] } }, /at '\/networks\/mongo': got object, want array/],
  [{ mongo: [] }, /at '\/networks\/mongo': minItems/],
  [{ mongo: [{ ports: [{ port: 27_017 }] }] }, /at '\/networks\/mongo\/0': missing property 'to'/],
  [{ redis: [{ to: [inNamespace('x')] }] }, /at '\/networks\/redis\/0': missing property 'ports'/],
  [{ redis: [{ to: [{}], ports: [{ port: 1 }] }] }, /at '\/networks\/redis\/0\/to\/0': minProperties/],
  [{ redis: toRedis({ cidr: '10.5.0.0/24', expect: [] }) }, /ipBlock': additional properties 'expect' not allowed/],
  [{ redis: [{ to: [{ cidr: '10.5.0.0/24' }], ports: [{ port: 1 }] }] }, /to\/0': additional properties 'cidr'/],
  [{ edge: [{ to: [inNamespace('ingress')] }] }, /at '\/networks\/edge\/0': missing property 'from'/],
  [{ speach: [{ to: [inNamespace('x')], ports: [{ port: 1 }] }] }, /additional properties 'speach' not allowed/],
  [
    { redis: [{ to: [{ ...inNamespace('x'), ipBlock: { cidr: '10.5.0.0/24' } }], ports: [{ port: 6379 }] }] },
    /networks\.redis\[0\]\.to\[0\]: an ipBlock and a selector cannot be one peer: make each an entry of its own/,
  ],
  ...['api.openai.com', '10.1.0.0/240', '999.1.1.1/8', '10.1.0.0/33', '10/1.0.0/8', 'fd00::/129', '10.1.0.0'].map(
    cidr =>
      [{ redis: toRedis({ cidr }) }, /networks\.redis\[0\]\.to\[0\]\.ipBlock\.cidr: \S+ is not a range of/] as const,
  ),
  [
    { redis: toRedis({ cidr: '0.0.0.0/0', except: ['10.0.0.0/8', '172.16.0.0'] }) },
    /ipBlock\.except\[1\]: 172\.16\.0\.0 is not a range of addresses: write one such as/,
  ],
] as const)
  test(`names a wrong network and what to change: ${JSON.stringify(networks)}`, async () => {
    assert.match(await chart.refusal({ networks }, EXAMPLE), told);
  });
