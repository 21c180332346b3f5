import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild } from '@recording-request/stack/child-process';
import { aggregatedApi } from './aggregated-api.ts';
import type { Kubectl } from './kubectl.ts';
import { applyDefinitions, type ProgramModule } from './module-programs.ts';
import { kubeconfigIn, NODE_ADDRESS, type Place } from './place.ts';

export const KEDA: ProgramModule = {
  name: 'keda',
  module: 'github.com/kedacore/keda/v2',
  version: 'v2.21.0',
  programs: ['cmd/operator', 'cmd/adapter'],
  definitions: { module: 'github.com/kedacore/keda/v2', at: 'config/crd/bases' },
  takes: 'ten to twenty minutes',
};

const GROUP = 'external.metrics.k8s.io';
const API_PORT = 4444;
const METRICS_PORT = 9666;
const READY_MS = 60_000;
const STOP_MS = 5_000;

/**
 * Starts KEDA beside the cluster, until disposal. `programs` is the folder of the built programs. Resolves when
 * autoscalers can use KEDA.
 */
export async function startKeda(kubectl: Kubectl, place: Place, programs: string): Promise<AsyncDisposable> {
  await using starting = new AsyncDisposableStack();
  await applyDefinitions(kubectl, programs, 'scaledobjects.keda.sh');
  const certificates = join(place.keys, 'keda-tls');
  await mkdir(certificates, { recursive: true });
  for (const [from, to] of [
    ['ca.crt', 'ca.crt'],
    ['keda.crt', 'tls.crt'],
    ['keda.key', 'tls.key'],
  ])
    await copyFile(join(place.keys, from!), join(certificates, to!));
  const kubeconfig = kubeconfigIn(place);
  const env = {
    ...process.env,
    KUBECONFIG: kubeconfig,
    WATCH_NAMESPACE: '',
    POD_NAMESPACE: 'kube-system',
    KEDA_CLUSTER_OBJECT_NAMESPACE: 'kube-system',
  };
  const start = async (name: string, command: string, args: string[]) => {
    const logFile = join(place.logs, `${name}.log`);
    const child = await startChild({ name, command: join(programs, command), args, env, logFile });
    starting.defer(async () => void (await child.stop(STOP_MS)));
  };
  await start('keda-operator', 'operator', [
    `--cert-dir=${certificates}`,
    `--metrics-service-bind-address=${NODE_ADDRESS}:${METRICS_PORT}`,
    '--metrics-bind-address=0',
    '--health-probe-bind-address=0',
  ]);
  await start('keda-adapter', 'adapter', [
    `--lister-kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    `--secure-port=${API_PORT}`,
    `--bind-address=${NODE_ADDRESS}`,
    `--cert-dir=${certificates}`,
    `--tls-cert-file=${join(certificates, 'tls.crt')}`,
    `--tls-private-key-file=${join(certificates, 'tls.key')}`,
    `--metrics-service-address=${NODE_ADDRESS}:${METRICS_PORT}`,
    '--port=0',
  ]);
  await kubectl.apply(aggregatedApi({ name: 'keda-adapter', group: GROUP, port: API_PORT }));
  // Removes this API when its server ends. Otherwise, Kubernetes could not delete any namespace.
  const api = `apiservice/v1beta1.${GROUP}`;
  starting.defer(async () => void (await kubectl.run(['delete', api])));
  await kubectl.run(['wait', '--for=condition=Available', api, `--timeout=${READY_MS / 1_000}s`], READY_MS + 10_000);
  return starting.move();
}
