import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SERVICES } from '@recording-request/proto/callers';
import { parse as parseYaml } from 'yaml';
import { isPublicAddress } from '../../../services/webhooks/src/domain/address.ts';
import { renderOverlay } from '../src/chart.ts';
import { readDrawn } from '../src/drawn.ts';
import { ensureHelm, ensureKustomize } from '../src/install.ts';
import { type Manifest, parse, render } from '../src/manifests.ts';
import { allowed, type Connection, type End, ensurePolicyAnalyser } from '../src/policies.ts';
import { BASE, LOCAL, OPERATORS, PRODUCTION, ROOT } from '../src/repository.ts';
import { EXAMPLE, isHook, openChart } from './rendered-chart.ts';

const context = { env: process.env, log: (line: string) => console.error(line) };
const program = await ensurePolicyAnalyser(context);
const kustomize = await ensureKustomize(context);
const chart = await openChart({ kustomize }, await ensureHelm(context), { withTest: true });
after(() => chart[Symbol.asyncDispose]());

const pod = (name: string, namespace = 'recording-request'): End => ({
  ip: '10.244.0.9',
  namespace,
  namespaceLabels: { 'kubernetes.io/metadata.name': namespace },
  labels: { 'app.kubernetes.io/name': name },
});
const pods = (...names: string[]): Record<string, End> => Object.fromEntries(names.map(name => [name, pod(name)]));
const PORTS = [
  22, 53, 80, 443, 4317, 4318, 6379, 6443, 8000, 8080, 9000, 9092, 9093, 10_250, 27_017, 50_051, 50_052, 50_053,
];
const NAMED: Record<string, Record<number, string>> = { gateway: { 8080: 'http' } };
/** Addresses that an attacker in a pod would probably try next. */
const OUTSIDE: Record<string, End> = {
  'the internet': { ip: '8.8.8.8' },
  'the internet (IPv6)': { ip: '2001:4860:4860::8888' },
  'the API server': { ip: '10.96.0.1' },
  'another host of the network': { ip: '192.168.7.7' },
  'the metadata of the cloud': { ip: '169.254.169.254' },
  'a node, by IPv6': { ip: 'fd00::7' },
  'a pod of another namespace': pod('mongo', 'other'),
  'a pod of kube-system': pod('kube-dns', 'kube-system'),
};

/** The product in one environment: its objects and the addresses in that environment. */
interface Profile {
  objects: Manifest[];
  /** The pods of the product's namespace. */
  ours: Record<string, End>;
  others: Record<string, End>;
  /** The port of a server in this environment, if it differs from the port in ARCHITECTURE.md. */
  ports: Record<string, number>;
  /** True if every pod and address counts as the edge. */
  isOpen?: boolean;
}

const inOneCluster: Profile = {
  objects: parse(await render({ kustomize }, LOCAL)),
  ours: pods(...SERVICES, 'migrate', 'admin', 'mongo', 'kafka', 'objects', 'speech', 'collector'),
  others: OUTSIDE,
  ports: {},
  isOpen: true,
};
const telemetry = [{ to: [{ ipBlock: { cidr: '10.5.0.0/24' } }], ports: [{ port: 4317 }, { port: 4318 }] }];
const redis = [{ to: [{ ipBlock: { cidr: '10.6.0.0/24' } }], ports: [{ port: 6379 }] }];
const everything = { networks: { telemetry, redis }, backup: { claim: 'backups' } };
const ofChart = Map.groupBy(parse(await chart.template(everything, EXAMPLE)), isHook);
/** The chart, with servers at the addresses of the example. */
const inProduction: Profile = {
  objects: ofChart.get(false)!,
  ours: pods(...SERVICES, 'migrate', 'backup'),
  others: {
    ...OUTSIDE,
    edge: pod('traefik', 'ingress'),
    mongo: { ip: '10.1.0.9' },
    kafka: { ip: '10.2.0.9' },
    objects: { ip: '10.3.0.9' },
    speech: { ip: '10.4.0.9' },
    collector: { ip: '10.5.0.9' },
    redis: { ip: '10.6.0.9' },
  },
  ports: { objects: 443, speech: 443 },
};

const backups = [{ to: [{ ipBlock: { cidr: '10.7.0.0/24' } }], ports: [{ port: 443 }] }];
const toBucket = { networks: { telemetry, redis, backup: backups }, backup: { bucket: 's3://backups' } };
/** The chart with backups in a bucket at another store. */
const withBucket: Profile = {
  ...inProduction,
  objects: parse(await chart.template(toBucket, EXAMPLE)).filter(object => !isHook(object)),
  others: { ...inProduction.others, backups: { ip: '10.7.0.9' } },
};

const rule = (cidr: string, port: number) => [{ to: [{ ipBlock: { cidr } }], ports: [{ port }] }];
/** The same networks in the overlay of the example, which has none for Redis and the collector. */
const everywhere = Object.entries({
  ...{ mongo: rule('10.1.0.0/24', 27_017), kafka: rule('10.2.0.0/24', 9_092), objects: rule('10.3.0.0/24', 443) },
  ...{ speech: rule('10.4.0.0/24', 443), telemetry, redis },
}).map(([name, value]) => ({
  target: { kind: 'NetworkPolicy', name: `to-${name}` },
  patch: JSON.stringify([{ op: 'replace', path: '/spec/egress', value }]),
}));

/** Returns a pod that an operator creates in another namespace. */
const made = (namespace: string, labels: Record<string, string>): End => ({ ...pod('', namespace), labels });
const toSpeech = [{ to: [{ ipBlock: { cidr: '10.4.0.0/24' } }], ports: [{ port: 443 }] }];
const fromEdge = [{ from: [{ ipBlock: { cidr: '10.7.0.0/24' } }], ports: [{ port: 'http' }] }];
/** The overlay with a backup, a speech endpoint and an edge. An installation adds them. */
const withOperators: Profile = {
  objects: parse(
    await renderOverlay(
      { kustomize },
      {
        resources: [OPERATORS],
        components: [join(OPERATORS, 'backup')],
        patches: [
          {
            target: { kind: 'NetworkPolicy', name: 'to-speech' },
            patch: JSON.stringify([{ op: 'replace', path: '/spec/egress', value: toSpeech }]),
          },
          {
            target: { kind: 'NetworkPolicy', name: 'from-edge' },
            patch: JSON.stringify([{ op: 'replace', path: '/spec/ingress', value: fromEdge }]),
          },
        ],
      },
    ),
  ),
  ours: pods(...SERVICES, 'migrate', 'admin', 'backup'),
  others: {
    ...OUTSIDE,
    edge: { ip: '10.7.0.9' },
    mongo: made('recording-request-servers', { app: 'mongo-svc' }),
    kafka: made('recording-request-servers', { 'strimzi.io/name': 'kafka-kafka' }),
    objects: made('rook-ceph', { app: 'rook-ceph-rgw' }),
    speech: { ip: '10.4.0.9' },
    'another pod beside the servers': made('recording-request-servers', { app: 'other' }),
    'another pod beside the store': made('rook-ceph', { app: 'rook-ceph-osd' }),
  },
  ports: { kafka: 9093, objects: 443, speech: 443 },
};

interface Edge {
  from: string;
  to: string;
  port: number;
}

/**
 * Returns every connection that the policies allow between two different ends, except DNS. At least one of the ends is
 * our pod.
 */
async function edges({ objects, ours, others }: Profile): Promise<Edge[]> {
  const ends = { ...ours, ...others };
  const asked: Edge[] = [];
  for (const from of Object.keys(ends))
    for (const to of Object.keys(ends))
      if (from !== to && (from in ours || to in ours)) for (const port of PORTS) asked.push({ from, to, port });
  const connections = asked.map(({ from, to, port }): Connection => {
    const portName = NAMED[to]?.[port];
    return { from: ends[from]!, to: ends[to]!, port, ...(portName && { portName }) };
  });
  const answers = await allowed(program, objects, connections);
  return asked.filter((_, at) => answers[at]).filter(edge => !isName(edge));
}

/** Returns whether a connection is for DNS, which every pod may use. */
const isName = ({ to, port }: Edge): boolean => to === 'a pod of kube-system' && port === 53;

/** Returns the table of ARCHITECTURE.md for this environment, with a line for each port. */
async function drawn({ ours, others, ports: own, isOpen }: Profile): Promise<Edge[]> {
  const ends = Object.keys({ ...ours, ...others });
  return (await readDrawn()).flatMap(({ from, to, ports }) => {
    const edge = isOpen ? ends.filter(name => name !== to) : ['edge'];
    const sources = { edge, 'every service': [...SERVICES] }[from] ?? [from];
    const targets =
      to === 'the internet' ? ['the internet', 'the internet (IPv6)'] : [to].filter(each => ends.includes(each));
    const each = own[to] === undefined ? ports : [own[to]];
    return (
      sources
        .filter(source => ends.includes(source))
        // A connection needs a policy at both ends. Our pods have no egress to the gateway, so none of them can call
        // it.
        .filter(source => !(to === 'gateway' && source in ours))
        .flatMap(source =>
          targets.flatMap(target => (each === 'all' ? PORTS : each).map(port => ({ from: source, to: target, port }))),
        )
    );
  });
}

const inWords = ({ from, to, port }: Edge) => `${from} → ${to}:${port}`;

async function assertEdges(profile: Profile, wanted: Edge[]): Promise<void> {
  assert.deepEqual((await edges(profile)).map(inWords).sort(), wanted.map(inWords).sort());
}

for (const [where, profile] of Object.entries({
  'in one cluster': inOneCluster,
  'in production': inProduction,
  'with backups in a bucket': withBucket,
  'with operators': withOperators,
}))
  test(`${where} the network policies allow what ARCHITECTURE.md draws, and nothing else`, async () => {
    await assertEdges(profile, await drawn(profile));
  });

test('Kafka under its operator admits the pods that may reach it', async () => {
  const kafka = withOperators.objects.find(({ kind }) => kind === 'Kafka')!;
  const [{ networkPolicyPeers }] = kafka.spec.kafka.listeners;
  const callers = (await drawn(withOperators)).filter(({ to }) => to === 'kafka').map(({ from }) => from);
  assert.deepEqual(networkPolicyPeers[0].podSelector.matchExpressions[0].values.toSorted(), callers.toSorted());
});

test('the base allows only calls between pods, DNS and, for webhooks, the internet; nothing reaches the gateway', async () => {
  const alone = { ...inProduction, objects: parse(await render({ kustomize }, BASE)) };
  const servers = ['mongo', 'kafka', 'objects', 'speech', 'collector', 'redis'];
  await assertEdges(
    alone,
    (await drawn(alone)).filter(({ from, to }) => from !== 'edge' && !servers.includes(to)),
  );
});

test('a migration before the new version reaches its servers through its own policies', async () => {
  const denied = inProduction.objects.filter(({ metadata }) => metadata.name === 'default-deny');
  const before = { ...inProduction, objects: [...denied, ...ofChart.get(true)!] };
  await assertEdges(
    before,
    (await drawn(before)).filter(({ from }) => from === 'migrate'),
  );
});

test('the doctor reaches the servers of all workloads, and nothing else: the component and the chart', async () => {
  const overlay = await renderOverlay(
    { kustomize },
    { resources: [PRODUCTION], components: [join(PRODUCTION, '../../doctor')], patches: everywhere },
  );
  const denied = inProduction.objects.filter(({ metadata }) => /^(default-deny|dns)$/.test(metadata.name));
  const release = [...denied, ...ofChart.get(true)!];
  for (const objects of [parse(overlay), release]) {
    const profile = { ...inProduction, objects, ours: pods('doctor', 'migrate') };
    await assertEdges(
      { ...profile, ours: pods('doctor') },
      (await drawn(profile)).filter(({ from }) => from === 'doctor'),
    );
  }
});

/** One address of each non-public range. Excludes the ranges for documentation, because they are unused. */
const INNER = [
  ...[
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '192.0.0.192',
  ],
  ...['192.88.99.1', '192.168.0.1', '198.18.0.1', '224.0.0.1', '240.0.0.1', '::1', '::ffff:10.0.0.1', '64:ff9b::a00:1'],
  ...['2001::1', '2002:a00:1::', '4000::1', 'fd00:ec2::254', 'fe80::1'],
];

test('webhooks reach exactly the addresses that the service treats as public', async () => {
  const asked = [...INNER, '8.8.8.8', '168.63.129.17', '2606:4700::6810:84e5'];
  const answers = await allowed(
    program,
    inProduction.objects,
    asked.map(ip => ({ from: pod('webhooks'), to: { ip }, port: 443 })),
  );
  for (const [at, ip] of asked.entries()) {
    assert.equal(isPublicAddress(ip), !INNER.includes(ip), `${ip}, by the service`);
    assert.equal(answers[at], !INNER.includes(ip), `${ip}, by the network policy`);
  }
});

test('webhooks cannot reach the public addresses that an installation blocks, by a patch or the chart', async () => {
  const guide = await readFile(join(ROOT, 'deploy/k8s/README.md'), 'utf8');
  const [, shown = ''] = /`(\{op: add, [^`]+203\.0\.113\.7\/32\})`/.exec(guide) ?? [];
  const patches = [{ target: { kind: 'NetworkPolicy', name: 'webhooks-to-owners' }, patch: `- ${shown}` }];
  const overlay = parse(await renderOverlay({ kustomize }, { resources: [BASE], patches }));
  const webhooksExcept = ['203.0.113.7/32', '2606:4700::/32'];
  const release = parse(await chart.template({ webhooksExcept }, EXAMPLE));
  const asked = ['203.0.113.7', '203.0.113.8', '2606:4700::1'].map(ip => ({
    from: pod('webhooks'),
    to: { ip },
    port: 443,
  }));
  assert.deepEqual(await allowed(program, overlay, asked), [false, true, true]);
  assert.deepEqual(await allowed(program, release, asked), [false, true, false]);
  assert.match(
    await chart.refusal({ webhooksExcept: ['203.0.113.7'] }, EXAMPLE),
    /webhooksExcept\[0\]: 203\.0\.113\.7 is not a range/,
  );
});

/** Returns the rule for a server that is known only by its name, from the comment of an example. */
async function ruleByName(file: string): Promise<object[]> {
  const lines = (await readFile(join(ROOT, file), 'utf8')).matchAll(/^ {2}# {3}(.+)$/gm);
  return parseYaml([...lines].map(([, line]) => line).join('\n'));
}

test('the rule for a server known by name allows its port at public addresses, and at no internal one', async () => {
  const speech = await ruleByName('deploy/chart/values.production.example.yaml');
  assert.deepEqual(await ruleByName('deploy/k8s/overlays/production/installation.yaml'), speech);
  const objects = parse(await chart.template({ networks: { speech } }, EXAMPLE));
  const to = (ip: string, port: number) => ({ from: pod('transcription'), to: { ip }, port });
  const asked = [to('8.8.8.8', 443), to('8.8.8.8', 80), ...INNER.map(ip => to(ip, 443))];
  assert.deepEqual(await allowed(program, objects, asked), [true, false, ...INNER.map(() => false)]);
});

for (const [cluster, namespace, port, ip] of [
  ['OpenShift', 'openshift-dns', 5353, undefined],
  ['GKE', 'kube-system', 53, '169.254.169.254'],
] as const)
  test(`the values in deploy/k8s/README.md for ${cluster} allow its DNS`, async () => {
    const guide = await readFile(join(ROOT, 'deploy/k8s/README.md'), 'utf8');
    const [, shown = ''] = new RegExp(`# DNS of ${cluster}.*\\n([^\`]+?)(?:\`|\n# )`).exec(guide) ?? [];
    const objects = parse(await chart.template({ networks: parseYaml(shown) }, EXAMPLE));
    const server = ip === undefined ? made(namespace, {}) : { ip };
    const to = (at: End, protocol: 'TCP' | 'UDP', of: number) => ({ from: pod('media'), to: at, port: of, protocol });
    const asked = [to(server, 'UDP', port), to(server, 'TCP', port), to(made(namespace, {}), 'UDP', port)];
    assert.deepEqual(await allowed(program, objects, [...asked, to(server, 'TCP', 80)]), [true, true, true, false]);
  });

test('finds a policy that allows too much egress', async () => {
  const wider = structuredClone(inOneCluster.objects);
  const policy = wider.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'to-objects')!;
  delete policy.spec.egress[0].to;
  const [answer] = await allowed(program, wider, [{ from: pod('media'), to: OUTSIDE['the API server']!, port: 9000 }]);
  assert.equal(answer, true);
});
