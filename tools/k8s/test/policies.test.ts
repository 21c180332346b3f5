import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVICES } from '@recording-request/proto/callers';
import { readDrawn } from '../src/drawn.ts';
import { ensureKustomize } from '../src/install.ts';
import { parse, render } from '../src/manifests.ts';
import { allowed, type Connection, type End, ensurePolicyAnalyser } from '../src/policies.ts';
import { LOCAL } from '../src/repository.ts';

const context = { env: process.env, log: (line: string) => console.error(line) };
const program = await ensurePolicyAnalyser(context);
const objects = parse(await render({ kustomize: await ensureKustomize(context) }, LOCAL));

const pod = (name: string, namespace = 'recording-request'): End => ({
  ip: '10.244.0.9',
  namespace,
  namespaceLabels: { 'kubernetes.io/metadata.name': namespace },
  labels: { 'app.kubernetes.io/name': name },
});
const PODS = [...SERVICES, 'migrate', 'admin', 'mongo', 'kafka', 'minio', 'speech', 'collector'];
/** Where an attacker in a pod would go next. */
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
const ENDS = { ...Object.fromEntries(PODS.map(name => [name, pod(name)])), ...OUTSIDE };
const PORTS = [22, 53, 80, 443, 4317, 4318, 6379, 6443, 8000, 8080, 9000, 9092, 10_250, 27_017, 50_051, 50_052, 50_053];
const NAMED: Record<string, Record<number, string>> = { gateway: { 8080: 'http' } };

interface Edge {
  from: string;
  to: string;
  port: number;
}

/** Every connection that the policies allow between two different ends, at least one of them a pod of ours. */
async function edges(): Promise<Edge[]> {
  const asked: Edge[] = [];
  for (const from of Object.keys(ENDS))
    for (const to of Object.keys(ENDS))
      if (from !== to && (PODS.includes(from) || PODS.includes(to)))
        for (const port of PORTS) asked.push({ from, to, port });
  const connections = asked.map(({ from, to, port }): Connection => {
    const portName = NAMED[to]?.[port];
    return { from: ENDS[from]!, to: ENDS[to]!, port, ...(portName && { portName }) };
  });
  const answers = await allowed(program, objects, connections);
  return asked.filter((_, at) => answers[at]);
}

/** The table of ARCHITECTURE.md, a line for each port. */
async function drawn(): Promise<Edge[]> {
  const anywhere = (to: string) => Object.keys(ENDS).filter(name => name !== to);
  return (await readDrawn()).flatMap(({ from, to, ports }) => {
    const sources = from === 'anywhere' ? anywhere(to) : from === 'every service' ? SERVICES : [from];
    const targets = to === 'the internet' ? ['the internet', 'the internet (IPv6)'] : [to];
    const each = ports === 'all' ? PORTS : ports;
    return sources.flatMap(source => targets.flatMap(target => each.map(port => ({ from: source, to: target, port }))));
  });
}

const inWords = ({ from, to, port }: Edge) => `${from} → ${to}:${port}`;

test('the network policies allow what ARCHITECTURE.md draws, and nothing else', async () => {
  const found = (await edges()).filter(({ to, port }) => !(to === 'a pod of kube-system' && port === 53)).map(inWords);
  const wanted = (await drawn())
    // Who may send is decided at both ends: a pod of ours that may call nobody cannot call the gateway either.
    .filter(({ from, to }) => !(to === 'gateway' && PODS.includes(from)))
    .map(inWords);
  assert.deepEqual(found.sort(), wanted.sort());
});

test('a policy that lets a service out too far is found', async () => {
  const wider = structuredClone(objects);
  const policy = wider.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'to-objects')!;
  delete policy.spec.egress[0].to;
  const [answer] = await allowed(program, wider, [{ from: pod('media'), to: OUTSIDE['the API server']!, port: 9000 }]);
  assert.equal(answer, true);
});
