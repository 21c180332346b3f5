import { join } from 'node:path';
import { startChild } from '@recording-request/stack/child-process';
import type { Kubectl } from './kubectl.ts';
import { applyDefinitions, type ProgramModule } from './module-programs.ts';
import { kubeconfigIn, NODE_ADDRESS, type Place } from './place.ts';

export const TRAEFIK: ProgramModule = {
  name: 'traefik',
  module: 'github.com/traefik/traefik/v3',
  // Version 3.7 needs a version of github.com/containous/go-http-auth that the Go module proxy lacks.
  version: 'v3.6.12',
  programs: ['cmd/traefik'],
  definitions: { module: 'sigs.k8s.io/gateway-api', at: 'config/crd/standard' },
  takes: 'five to ten minutes',
};

const PORT = 8_800;
/** The Gateway, which accepts routes of any namespace. */
export const EDGE_GATEWAY = { name: 'edge', namespace: 'edge' };
export const EDGE_ORIGIN = `http://${NODE_ADDRESS}:${PORT}`;
const STOP_MS = 5_000;

/**
 * Starts Traefik with its own Gateway beside the cluster, until disposal. `programs` is the folder of the built
 * programs.
 */
export async function startTraefik(kubectl: Kubectl, place: Place, programs: string): Promise<AsyncDisposable> {
  await using starting = new AsyncDisposableStack();
  await applyDefinitions(kubectl, programs, 'httproutes.gateway.networking.k8s.io');
  const child = await startChild({
    name: 'traefik',
    command: join(programs, 'traefik'),
    args: [
      `--entrypoints.web.address=${NODE_ADDRESS}:${PORT}`,
      // deploy/k8s/README.md requires this setting: Traefik ignores the timeouts of an HTTPRoute, and its default timeout
      // would end longer requests.
      '--entrypoints.web.transport.respondingtimeouts.readtimeout=0',
      '--providers.kubernetesgateway',
      `--providers.kubernetesgateway.statusaddress.ip=${NODE_ADDRESS}`,
      '--global.checknewversion=false',
      '--global.sendanonymoususage=false',
    ],
    env: { ...process.env, KUBECONFIG: kubeconfigIn(place) },
    logFile: join(place.logs, 'traefik.log'),
  });
  starting.defer(async () => void (await child.stop(STOP_MS)));
  await kubectl.apply(GATEWAY);
  const { name, namespace } = EDGE_GATEWAY;
  const isProgrammed = ['wait', '--for=condition=Programmed', `gateway/${name}`, '--timeout=30s'];
  await kubectl.run(['--namespace', namespace, ...isProgrammed]);
  return starting.move();
}

const GATEWAY = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: EDGE_GATEWAY.namespace } },
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'GatewayClass',
    metadata: { name: 'traefik' },
    spec: { controllerName: 'traefik.io/gateway-controller' },
  },
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: EDGE_GATEWAY,
    spec: {
      gatewayClassName: 'traefik',
      listeners: [{ name: 'web', port: PORT, protocol: 'HTTP', allowedRoutes: { namespaces: { from: 'All' } } }],
    },
  },
];
