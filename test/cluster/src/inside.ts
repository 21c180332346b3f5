import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tableOf } from '@recording-request/fault-test/table';
import { createKubectl } from '@recording-request/k8s/lab/kubectl';
import { NODE_ADDRESS } from '@recording-request/k8s/lab/place';
import { makeCertificates } from '@recording-request/stack/certificates';
import { startServers } from '@recording-request/stack/servers';
import { CASES } from './cases/all.ts';
import { isAsked } from './cluster-case.ts';
import { SERVER_PORTS } from './product/network.ts';
import { type Overlay, renderOperator, renderOverlay, renderProduction, secretsOf } from './product/overlay.ts';
import { install } from './product/product.ts';
import { runCases } from './run-cases.ts';

/** What the process within the lab's network is told. */
export interface Task {
  dir: string;
  kubectl: string;
  kubeconfig: string;
  kustomize: string;
  helm: string;
  /** The sources of the version before, where a case needs it. */
  previous: string | undefined;
  only: string[];
  seed: string;
  clips: number;
}

const HELM_MS = 60_000;
const runFile = promisify(execFile);
const log = (line: string) => void process.stdout.write(`${line}\n`);
const stop = new AbortController();
const { promise: stopped, reject } = Promise.withResolvers<never>();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => {
    const error = new Error(`ended by ${name}`);
    stop.abort(error);
    // Nothing is waited for: the servers end with this process, and pods with the machine.
    reject(error);
  });

/** Runs in the network of the lab: starts the servers beside the cluster, installs the product, runs the cases. */
async function main(task: Task): Promise<boolean> {
  const { dir, kustomize, previous, only, seed, clips } = task;
  const { signal } = stop;
  const others = Object.entries(process.env).filter(
    ([name]) => !/^(?:MONGO_URL|KAFKA_BROKERS|S3_|SPEECH_BASE)/.test(name),
  );
  const env = Object.fromEntries(others);
  const where = { dataDir: join(dir, 'servers'), host: NODE_ADDRESS, ports: SERVER_PORTS };
  await using servers = await startServers({ ...where, log, signal, env });
  const certificates = await makeCertificates(join(dir, 'tls'));
  const kubectl = createKubectl(task.kubectl, task.kubeconfig);
  const overlay: Overlay = (name, more) => renderOverlay(kustomize, join(dir, name), servers.env, more);
  const objects = await overlay('overlay');
  const began = Date.now();
  const product = await install(kubectl, await secretsOf(servers.env, certificates), objects);
  log(`the product is installed and ready (${Math.round((Date.now() - began) / 1000)} s)`);
  const cases = CASES.filter(each => isAsked(each, only));
  const operatorPod = await renderOperator(kustomize, dir);
  const production = await renderProduction(kustomize);
  const helm = async (args: string[]) =>
    (await runFile(task.helm, [`--kubeconfig=${task.kubeconfig}`, ...args], { timeout: HELM_MS })).stdout;
  const installed = {
    product,
    helm,
    objects,
    production,
    operatorPod,
    certificates,
    serversEnv: servers.env,
    overlay,
    previous,
    dir,
  };
  const results = await runCases(installed, { cases, seed, clips, log, signal });
  log(`\n${tableOf(results)}\n`);
  return results.every(({ violations }) => violations.length === 0);
}

try {
  const task = JSON.parse(await readFile(process.argv[2]!, 'utf8')) as Task;
  process.exitCode = Number(!(await Promise.race([main(task), stopped])));
} catch (error) {
  console.error(stop.signal.aborted ? (error as Error).message : error);
  process.exitCode = 1;
}
process.exit();
