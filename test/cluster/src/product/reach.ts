import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Drawn } from '@recording-request/k8s/drawn';
import type { Kubectl } from '@recording-request/k8s/lab/kubectl';
import { API_SERVICE, METADATA_ADDRESS, NODE_ADDRESS, OUTSIDE_ADDRESS } from '@recording-request/k8s/lab/place';
import type { Manifest } from '@recording-request/k8s/manifests';
import { SERVICES, type ServiceName } from '@recording-request/stack/service-plan';
import { until } from '@recording-request/testing/wait';
import { SERVER_PORTS } from './network.ts';
import type { Pod, Product } from './product.ts';

/** A listening address. The names of servers are the names in ARCHITECTURE.md. */
export interface Target {
  name: string;
  address: string;
  port: number;
}

/** Possible targets of an attacker in a pod; disposal ends the listeners that were started for them. */
export interface Targets extends AsyncDisposable {
  all: Target[];
}

const ELSEWHERE = 'elsewhere';
const PORT = 8080;
/** The ports on which a pod of the product may listen, for other pods, the operator and the kubelet. */
const POD_PORTS = [8_080, 50_051, 50_052, 50_053];
const METADATA_PORT = 80;
const CONNECT_MS = 2_000;
const READY_MS = 60_000;
const EXEC_MS = 30_000;
const LISTENS = { limitMs: 30_000, everyMs: 200 };

/** Connects to all targets in a list at once, and prints for each whether it was reached. */
const CONNECT = `
import { connect } from 'node:net';
const isReached = ({ address, port }) => new Promise(resolve => {
  const socket = connect({ host: address, port, timeout: ${CONNECT_MS} });
  const end = reached => { socket.destroy(); resolve(reached); };
  socket.once('connect', () => end(true)).once('error', () => end(false)).once('timeout', () => end(false));
});
console.log(JSON.stringify(await Promise.all(JSON.parse(process.argv[1]).map(isReached))));
`;

/** Returns the targets that a shell in a pod reaches. */
export async function reachedFrom(product: Product, pod: Pod, targets: Target[]): Promise<Target[]> {
  return reachedBy(targets, node => product.in(['exec', pod.name, '--container=service', '--', ...node], EXEC_MS));
}

async function reachedBy(targets: Target[], run: (node: string[]) => Promise<string>): Promise<Target[]> {
  const said = await run(['node', '--input-type=module', '--eval', CONNECT, JSON.stringify(targets)]);
  const answers = JSON.parse(said) as boolean[];
  return targets.filter((_, at) => answers[at]);
}

/** Returns whether the table of ARCHITECTURE.md allows a service of the product to reach the target. */
export const isDrawn = (drawn: Drawn[], service: ServiceName, { name, port }: Target): boolean =>
  drawn.some(
    ({ from, to, ports }) =>
      (from === service || from === 'every service') && to === name && (ports === 'all' || ports.includes(port)),
  );

/**
 * Starts listeners at the addresses that an attacker in a pod would probably try next. Rejects unless every target listens:
 * otherwise a failed connection proves nothing.
 */
export async function openTargets({ kubectl, pods }: Product, image: string): Promise<Targets> {
  await using opening = new AsyncDisposableStack();
  const listen = async (name: string, address: string, at = 0): Promise<Target> => {
    const server = createServer(socket => socket.destroy()).listen(at, address);
    await once(server, 'listening');
    opening.defer(() => void server.close());
    return { name, address, port: (server.address() as { port: number }).port };
  };
  opening.defer(() => closeElsewhere(kubectl));
  const elsewhere = await openElsewhere(kubectl, image);
  const servers = {
    mongo: SERVER_PORTS.mongo,
    kafka: SERVER_PORTS.kafka,
    objects: SERVER_PORTS.s3,
    speech: SERVER_PORTS.speech,
  };
  const all: Target[] = [
    { name: 'the API server', address: API_SERVICE, port: 443 },
    { name: 'the API server at its node', address: NODE_ADDRESS, port: 6443 },
    { name: 'the kubelet', address: NODE_ADDRESS, port: 10_250 },
    ...elsewhere,
    await listen('the metadata of a cloud', METADATA_ADDRESS, METADATA_PORT),
    await listen('a private address', NODE_ADDRESS),
    await listen('the internet', OUTSIDE_ADDRESS),
    ...Object.entries(servers).map(([name, port]) => ({ name, address: NODE_ADDRESS, port })),
  ];
  for (const target of all)
    await until(`${target.name} listens at ${target.address}:${target.port}`, () => listens(target), LISTENS);
  for (const name of SERVICES) {
    const [pod] = await pods(name);
    for (const port of POD_PORTS) {
      const target = { name, address: pod!.address, port };
      if (await listens(target)) all.push(target);
    }
  }
  const opened = opening.move();
  return { all, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** A pod of another namespace; disposal deletes it. */
export interface Outsider extends AsyncDisposable {
  /** The port on which the pod itself listens. */
  itself: Target;
  /** Returns the targets that the pod reaches. */
  reaches(targets: Target[]): Promise<Target[]>;
}

export async function openOutsider(kubectl: Kubectl, image: string): Promise<Outsider> {
  await using opening = new AsyncDisposableStack();
  opening.defer(() => closeElsewhere(kubectl));
  const [itself] = await openElsewhere(kubectl, image);
  const opened = opening.move();
  return {
    itself: itself!,
    reaches: targets =>
      reachedBy(targets, node => kubectl.run(['--namespace', ELSEWHERE, 'exec', 'listener', '--', ...node], EXEC_MS)),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function closeElsewhere(kubectl: Kubectl): Promise<void> {
  await kubectl.run(['delete', 'namespace', ELSEWHERE, '--ignore-not-found'], READY_MS);
}

/** Creates a listening pod and its Service in another namespace, which has no policies. */
async function openElsewhere(kubectl: Kubectl, image: string): Promise<Target[]> {
  const metadata = { name: 'listener', namespace: ELSEWHERE, labels: { app: 'listener' } };
  const command = ['node', '--eval', `net.createServer(socket => socket.destroy()).listen(${PORT})`];
  const container = { name: 'service', image, imagePullPolicy: 'Never', command };
  await kubectl.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ELSEWHERE } },
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: metadata.labels, ports: [{ port: PORT }] } },
  ]);
  const inside = ['--namespace', ELSEWHERE];
  await kubectl.run([...inside, 'wait', '--for=create', 'serviceaccount/default', '--timeout=50s'], READY_MS);
  await kubectl.apply([
    { apiVersion: 'v1', kind: 'Pod', metadata, spec: { terminationGracePeriodSeconds: 0, containers: [container] } },
  ]);
  await kubectl.run([...inside, 'wait', '--for=condition=Ready', 'pod/listener', '--timeout=50s'], READY_MS);
  const pod: Manifest = await kubectl.json([...inside, 'get', 'pod', 'listener']);
  const service: Manifest = await kubectl.json([...inside, 'get', 'service', 'listener']);
  return [
    { name: 'a pod of another namespace', address: pod.status.podIP, port: PORT },
    { name: 'a Service of another namespace', address: service.spec.clusterIP, port: PORT },
  ];
}

/** Returns whether a target listens. Connects from the node, which no policy limits. */
async function listens({ address, port }: Target): Promise<boolean> {
  const socket = connect({ host: address, port, timeout: CONNECT_MS });
  try {
    return await new Promise(resolve => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false)).once('timeout', () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}
