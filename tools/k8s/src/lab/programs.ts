import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot, installOnce } from '@recording-request/stack/install/cache';
import type { InstallContext } from '@recording-request/stack/install/context';
import { ensureDebian } from '@recording-request/stack/install/debian';
import { onPath } from '@recording-request/stack/install/find';
import { ensureGoTool, type GoTool } from '@recording-request/stack/install/go-tool';
import { run } from '@recording-request/stack/install/run';
import { LAB_FILES } from './place.ts';

/** The last minor version whose kubelet accepts version 1 cgroups by default. */
export const KUBERNETES = 'v1.34.4';
const BUILD_MS = 60 * 60_000;
const NAMES = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
  'kubectl',
] as const;

const PACKAGES = [
  ...['containerd', 'runc', 'containernetworking-plugins', 'etcd-server', 'iptables', 'nftables', 'conntrack'],
  ...['ipset', 'ethtool', 'iproute2', 'openssl', 'gcc', 'libc6-dev'],
];
const COREDNS: GoTool = {
  command: 'coredns',
  module: 'github.com/coredns/coredns',
  version: 'v1.15.0',
  variable: 'COREDNS_BIN',
  takes: 'one to five minutes',
};
const METRICS_SERVER: GoTool = {
  command: 'metrics-server',
  module: 'sigs.k8s.io/metrics-server/cmd/metrics-server',
  version: 'v0.9.0',
  variable: 'METRICS_SERVER_BIN',
  takes: 'one to five minutes',
};

/** The lab uses kube-router only to enforce network policies. */
const KUBE_ROUTER: GoTool = {
  command: 'kube-router',
  module: 'github.com/cloudnativelabs/kube-router/v2/cmd/kube-router',
  version: 'v2.1.0',
  variable: 'KUBE_ROUTER_BIN',
  takes: 'two to five minutes',
};

/** The paths of a cluster's programs. */
export type Programs = Record<(typeof NAMES)[number] | 'coredns' | 'kubeRouter' | 'metricsServer' | 'pause', string>;

/**
 * Finds the programs in the cache, or builds them from Go modules once per machine. A build takes ten minutes or more.
 */
export async function ensurePrograms(context: InstallContext): Promise<Programs> {
  const { env, log, signal } = context;
  await ensureDebian(PACKAGES, log, { env, signal });
  const dir = await installOnce({
    root: cacheRoot(env),
    name: `kubernetes-${KUBERNETES}`,
    log,
    signal,
    fill: into => build(into, context),
  });
  const own = Object.fromEntries(NAMES.map(name => [name, join(dir, name)])) as Record<(typeof NAMES)[number], string>;
  const coredns = await ensureGoTool(COREDNS, context);
  const metricsServer = await ensureGoTool(METRICS_SERVER, context);
  const kubeRouter = await ensureGoTool(KUBE_ROUTER, context);
  return { ...own, coredns, kubeRouter, metricsServer, pause: join(dir, 'pause') };
}

async function build(into: string, { env, log, signal }: InstallContext): Promise<void> {
  if (!(await onPath('go', env)))
    throw new Error('Kubernetes is built with Go, and there is no go on PATH: install Go.');
  const go = { ...env, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false -mod=mod' };
  const step = { log, signal, timeoutMs: BUILD_MS, what: 'building Kubernetes' };
  log(`building Kubernetes ${KUBERNETES} (about ten minutes; once per machine) …`);
  const found = await run('go', ['mod', 'download', '-json', `k8s.io/kubernetes@${KUBERNETES}`], { ...step, env: go });
  const { Dir: source } = JSON.parse(found) as { Dir: string };
  const work = join(into, 'src');
  await mkdir(work);
  await writeFile(join(work, 'go.mod'), await moduleFile(source));
  await copyFile(join(LAB_FILES, 'main.go'), join(work, 'main.go'));
  const [, minor = ''] = KUBERNETES.split('.');
  const versions = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap(name => [
    `-X ${name}.gitVersion=${KUBERNETES}`,
    `-X ${name}.gitMajor=1`,
    `-X ${name}.gitMinor=${minor}`,
  ]);
  const args = ['build', '-v', '-ldflags', ['-s -w', ...versions].join(' '), '-o', join(into, 'kube'), '.'];
  const progress = (lines: number, last: string) => `${lines} packages so far${last && `, now ${last.slice(0, 60)}`}`;
  await run('nice', ['go', ...args], { ...step, cwd: work, env: go, progress });
  for (const name of NAMES) await symlink('kube', join(into, name));
  const pause = join(source, 'build/pause/linux/pause.c');
  await run('gcc', ['-Os', '-static', '-DVERSION=3.10', '-o', join(into, 'pause'), pause], { ...step, env });
}

/**
 * Returns a go.mod that builds Kubernetes. Kubernetes' own go.mod expects the libraries in neighbouring folders, which
 * the module lacks. This file uses the release of the libraries with the same version.
 */
async function moduleFile(source: string): Promise<string> {
  const theirs = await readFile(join(source, 'go.mod'), 'utf8');
  const libraries = [...theirs.matchAll(/^\s*(k8s\.io\/[a-z-]+) => \.\/staging\//gm)].map(([, name]) => name);
  const version = KUBERNETES.replace('v1.', 'v0.');
  const replaced = libraries.map(name => `\t${name} => ${name} ${version}`).join('\n');
  return `module lab\n\ngo 1.24.0\n\nrequire k8s.io/kubernetes ${KUBERNETES}\n\nreplace (\n${replaced}\n)\n`;
}
