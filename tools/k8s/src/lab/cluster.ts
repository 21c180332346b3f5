import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { aggregatedApi } from './aggregated-api.ts';
import { makeKeys } from './keys.ts';
import { createKubectl, type Kubectl } from './kubectl.ts';
import type { Machine } from './machine.ts';
import {
  DNS_ADDRESS,
  kubeconfigIn,
  NODE_ADDRESS,
  NODE_NAME,
  NODE_POD_RANGE,
  type Place,
  POD_RANGE,
  SERVICE_RANGE,
} from './place.ts';
import type { Programs } from './programs.ts';

const READY_MS = 120_000;
const ETCD = 'http://127.0.0.1:2379';
const METRICS_PORT = 4443;

/** Starts a cluster of one node on the machine; resolves when the node is ready. `images` are files to import. */
export async function startCluster(
  machine: Machine,
  place: Place,
  { programs, images }: { programs: Programs; images: string[] },
): Promise<Kubectl> {
  await makeKeys(place);
  const kubectl = createKubectl(programs.kubectl, kubeconfigIn(place), machine);
  await startApiServer(machine, place, programs);
  // Waits for the API server: the other programs exit at once if it has not created their roles yet.
  await kubectl.until('the API server', ['get', '--raw', '/readyz'], READY_MS);
  await startControllers(machine, place, programs);
  await startNode(machine, place, { programs, images });
  await startAddOns(machine, place, { programs, kubectl });
  await kubectl.run(['wait', '--for=create', `node/${NODE_NAME}`, '--timeout=60s'], READY_MS);
  await startPolicies(machine, place, programs);
  await kubectl.run(['wait', '--for=condition=Ready', `node/${NODE_NAME}`, '--timeout=100s'], READY_MS);
  return kubectl;
}

async function startApiServer(machine: Machine, { keys, state }: Place, programs: Programs): Promise<void> {
  const key = (name: string) => join(keys, name);
  const peers = 'http://127.0.0.1:2380';
  await machine.start('etcd', 'etcd', [
    ...['--data-dir', join(state, 'etcd'), '--unsafe-no-fsync', '--listen-peer-urls', peers],
    ...['--listen-client-urls', ETCD, '--advertise-client-urls', ETCD],
  ]);
  await machine.start('kube-apiserver', programs['kube-apiserver'], [
    `--etcd-servers=${ETCD}`,
    `--advertise-address=${NODE_ADDRESS}`,
    '--secure-port=6443',
    `--service-cluster-ip-range=${SERVICE_RANGE}`,
    `--tls-cert-file=${key('apiserver.crt')}`,
    `--tls-private-key-file=${key('apiserver.key')}`,
    `--client-ca-file=${key('ca.crt')}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${key('accounts.pub')}`,
    `--service-account-signing-key-file=${key('accounts.key')}`,
    `--kubelet-client-certificate=${key('apiserver-kubelet.crt')}`,
    `--kubelet-client-key=${key('apiserver-kubelet.key')}`,
    `--kubelet-certificate-authority=${key('ca.crt')}`,
    '--kubelet-preferred-address-types=InternalIP',
    // These options let the API server forward the requester's name to the metrics server.
    `--requestheader-client-ca-file=${key('ca.crt')}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${key('front-proxy.crt')}`,
    `--proxy-client-key-file=${key('front-proxy.key')}`,
  ]);
}

async function startControllers(machine: Machine, { keys }: Place, programs: Programs): Promise<void> {
  const key = (name: string) => join(keys, name);
  const client = (name: string) => [
    `--kubeconfig=${key(`${name}.kubeconfig`)}`,
    `--authentication-kubeconfig=${key(`${name}.kubeconfig`)}`,
    `--authorization-kubeconfig=${key(`${name}.kubeconfig`)}`,
  ];
  await machine.start('kube-controller-manager', programs['kube-controller-manager'], [
    ...client('controllers'),
    '--use-service-account-credentials',
    `--service-account-private-key-file=${key('accounts.key')}`,
    `--root-ca-file=${key('ca.crt')}`,
    '--leader-elect=false',
    `--cluster-cidr=${POD_RANGE}`,
    '--horizontal-pod-autoscaler-sync-period=5s',
  ]);
  await machine.start('kube-scheduler', programs['kube-scheduler'], [...client('scheduler'), '--leader-elect=false']);
}

async function startNode(
  machine: Machine,
  place: Place,
  { programs, images }: { programs: Programs; images: string[] },
): Promise<void> {
  const { keys, state } = place;
  const network = join(state, 'etc/cni/net.d');
  await mkdir(network, { recursive: true });
  await writeFile(join(network, '10-lab.conflist'), JSON.stringify(NETWORK));
  const containerd = join(keys, 'containerd.toml');
  await writeFile(containerd, CONTAINERD);
  await machine.start('containerd', 'containerd', ['--config', containerd]);
  const ctr = (...args: string[]) => machine.run('ctr', ['--namespace', 'k8s.io', ...args], READY_MS);
  for (let tries = 0; ; tries++)
    try {
      await ctr('version');
      break;
    } catch (error) {
      if (tries > 50) throw error;
    }
  for (const file of images) await ctr('images', 'import', file);
  const key = (name: string) => join(keys, name);
  await writeFile(key('kubelet.yaml'), stringify(kubeletConfig(key)));
  await machine.start('kubelet', programs.kubelet, [
    `--config=${key('kubelet.yaml')}`,
    `--kubeconfig=${key('kubelet.kubeconfig')}`,
    `--node-ip=${NODE_ADDRESS}`,
    `--hostname-override=${NODE_NAME}`,
  ]);
  await writeFile(key('proxy.yaml'), stringify(proxyConfig(key)));
  await machine.start('kube-proxy', programs['kube-proxy'], [`--config=${key('proxy.yaml')}`]);
}

/** Starts kube-router, only to enforce network policies, without its routing and its service proxy. It looks up the node when it starts. */
async function startPolicies(machine: Machine, { keys }: Place, programs: Programs): Promise<void> {
  await machine.start('kube-router', programs.kubeRouter, [
    '--run-firewall=true',
    '--run-router=false',
    '--run-service-proxy=false',
    `--kubeconfig=${kubeconfigIn({ keys })}`,
    `--hostname-override=${NODE_NAME}`,
    `--service-cluster-ip-range=${SERVICE_RANGE}`,
    '--health-port=0',
  ]);
}

/** Starts the DNS server for Services and the metrics server for autoscalers, as processes beside the cluster. */
async function startAddOns(
  machine: Machine,
  { keys }: Place,
  { programs, kubectl }: { programs: Programs; kubectl: Kubectl },
): Promise<void> {
  const admin = kubeconfigIn({ keys });
  const corefile = join(keys, 'Corefile');
  await writeFile(
    corefile,
    `.:53 {\n  bind ${NODE_ADDRESS} ${DNS_ADDRESS}\n  errors\n  kubernetes cluster.local in-addr.arpa {\n    kubeconfig ${admin}\n  }\n  cache 5\n}\n`,
  );
  await machine.start('coredns', programs.coredns, ['-conf', corefile]);
  await machine.start('metrics-server', programs.metricsServer, [
    `--kubeconfig=${admin}`,
    `--authentication-kubeconfig=${admin}`,
    `--authorization-kubeconfig=${admin}`,
    `--secure-port=${METRICS_PORT}`,
    `--bind-address=${NODE_ADDRESS}`,
    `--cert-dir=${join(keys, 'metrics-server')}`,
    '--kubelet-preferred-address-types=InternalIP',
    `--kubelet-certificate-authority=${join(keys, 'ca.crt')}`,
    '--metric-resolution=10s',
    '--kubelet-request-timeout=5s',
  ]);
  await kubectl.apply(aggregatedApi({ name: 'metrics-server', group: 'metrics.k8s.io', port: METRICS_PORT }));
}

const NETWORK = {
  cniVersion: '1.0.0',
  name: 'lab',
  plugins: [
    {
      type: 'bridge',
      bridge: 'pods0',
      isGateway: true,
      ipMasq: false,
      hairpinMode: true,
      ipam: { type: 'host-local', ranges: [[{ subnet: NODE_POD_RANGE }]], routes: [{ dst: '0.0.0.0/0' }] },
    },
    { type: 'portmap', capabilities: { portMappings: true } },
  ],
};

const CONTAINERD = `version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:3.10"
  # This computer does not allow a container a lower OOM score.
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "/etc/cni/net.d"
`;

const kubeletConfig = (key: (name: string) => string) => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: key('ca.crt') } },
  authorization: { mode: 'Webhook' },
  tlsCertFile: key('kubelet.crt'),
  tlsPrivateKeyFile: key('kubelet.key'),
  address: NODE_ADDRESS,
  cgroupDriver: 'cgroupfs',
  failCgroupV1: false,
  failSwapOn: false,
  containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
  clusterDomain: 'cluster.local',
  clusterDNS: [DNS_ADDRESS],
  resolvConf: '/dev/null',
  evictionHard: { 'memory.available': '200Mi', 'nodefs.available': '1Gi', 'imagefs.available': '1Gi' },
  oomScoreAdj: 0,
  // Disables garbage collection, because the node cannot pull a removed image again.
  imageGCHighThresholdPercent: 100,
});

const proxyConfig = (key: (name: string) => string) => ({
  apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
  kind: 'KubeProxyConfiguration',
  mode: 'nftables',
  clientConnection: { kubeconfig: key('proxy.kubeconfig') },
  clusterCIDR: POD_RANGE,
  hostnameOverride: NODE_NAME,
  conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
});
