import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@recording-request/stack/install/run';
import { API_SERVICE, NODE_ADDRESS, NODE_NAME, type Place } from './place.ts';

const STEP_MS = 30_000;
const DAYS = '2';
const SERVER_NAMES = [
  ...[
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
    'localhost',
  ].map(name => `DNS:${name}`),
  ...[API_SERVICE, NODE_ADDRESS, '127.0.0.1'].map(address => `IP:${address}`),
];
/** The name of each certificate, its subject, and the server names in it. */
const CERTIFICATES: [name: string, subject: string, names?: string[]][] = [
  ['apiserver', '/CN=kube-apiserver', SERVER_NAMES],
  ['admin', '/O=system:masters/CN=admin'],
  ['apiserver-kubelet', '/O=system:masters/CN=apiserver-kubelet'],
  ['kubelet', `/O=system:nodes/CN=system:node:${NODE_NAME}`, [`DNS:${NODE_NAME}`, `IP:${NODE_ADDRESS}`]],
  ['controllers', '/CN=system:kube-controller-manager'],
  ['scheduler', '/CN=system:kube-scheduler'],
  ['proxy', '/CN=system:kube-proxy'],
  ['front-proxy', '/CN=front-proxy-client'],
  ['keda', '/CN=keda', [`IP:${NODE_ADDRESS}`]],
];
const CLIENTS = ['admin', 'kubelet', 'controllers', 'scheduler', 'proxy'];

/** Creates the authority of a cluster, its certificates and the kubeconfigs `<name>.kubeconfig`. */
export async function makeKeys({ keys }: Place): Promise<void> {
  await mkdir(keys, { recursive: true, mode: 0o700 });
  const openssl = (...args: string[]) =>
    run('openssl', args, { what: 'openssl', log: () => {}, timeoutMs: STEP_MS, cwd: keys });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await openssl('req', '-x509', ...newKey, '-days', DAYS, '-subj', '/CN=lab', '-keyout', 'ca.key', '-out', 'ca.crt');
  await openssl('genrsa', '-out', 'accounts.key', '2048');
  await openssl('rsa', '-in', 'accounts.key', '-pubout', '-out', 'accounts.pub');
  for (const [name, subject, names = []] of CERTIFICATES) {
    await openssl('req', ...newKey, '-subj', subject, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    const usages = 'extendedKeyUsage=serverAuth,clientAuth';
    await writeFile(
      join(keys, 'extensions'),
      [usages, ...(names.length ? [`subjectAltName=${names.join(',')}`] : [])].join('\n'),
    );
    const signing = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', DAYS, '-extfile', 'extensions'];
    await openssl('x509', '-req', '-in', `${name}.csr`, ...signing, '-out', `${name}.crt`);
  }
  for (const name of CLIENTS) await writeFile(join(keys, `${name}.kubeconfig`), await kubeconfigOf(keys, name));
}

async function kubeconfigOf(keys: string, name: string): Promise<string> {
  const data = async (file: string) => (await readFile(join(keys, file))).toString('base64');
  const cluster = { server: `https://${NODE_ADDRESS}:6443`, 'certificate-authority-data': await data('ca.crt') };
  const user = {
    'client-certificate-data': await data(`${name}.crt`),
    'client-key-data': await data(`${name}.key`),
  };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'lab', cluster }],
    users: [{ name, user }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: name } }],
    'current-context': 'lab',
  });
}
