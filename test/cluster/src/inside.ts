import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CaseResult } from '@recording-request/fault-test/run-case';
import { caseTable } from '@recording-request/fault-test/table';
import { createKubectl, type Kubectl } from '@recording-request/k8s/lab/kubectl';
import { kubeconfigIn, placeIn } from '@recording-request/k8s/lab/place';
import { makeCertificates } from '@recording-request/stack/certificates';
import { CASES } from './cases/all.ts';
import { ELSEWHERE } from './cases/restore.ts';
import { type ClusterCase, isAsked, serversOf } from './cluster-case.ts';
import { type Installed, newOwner } from './harness.ts';
import {
  NAMESPACE,
  ORIGIN,
  type Overlay,
  renderOperator,
  renderOverlay,
  renderProduction,
  secretsOf,
} from './product/overlay.ts';
import { install, removeNamespaces } from './product/product.ts';
import { runCases } from './run-cases.ts';
import type { ServersKind } from './servers/beside.ts';
import { startBeside } from './servers/start.ts';
import type { Unbuilt } from './validated-only.ts';

/** The input of the process inside the lab's network. */
export interface Task {
  dir: string;
  kubectl: string;
  /** The folders of programs for single cases, by name. */
  built: Record<string, string>;
  unbuilt: Unbuilt;
  kustomize: string;
  helm: string;
  /** The sources of the previous version, if a case needs them. */
  previous: string | undefined;
  only: string[];
  seed: string;
  clips: number;
  /** Whether to keep the cluster after the last case. */
  hold: boolean;
}

const HELM_MS = 60_000;
const runFile = promisify(execFile);
const log = (line: string) => void process.stdout.write(`${line}\n`);
const stop = new AbortController();
const released = Promise.withResolvers<void>();
let isHeld = false;
const { promise: stopped, reject } = Promise.withResolvers<never>();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => {
    if (isHeld) return released.resolve();
    const error = new Error(`ended by ${name}`);
    stop.abort(error);
    // Exits at once: the servers end with this process, and the pods end with the machine.
    reject(error);
  });

/** Runs in the lab's network: for each kind of servers that a case needs, starts them, installs the product, and runs the cases. */
async function main(task: Task): Promise<boolean> {
  const kubectl = createKubectl(task.kubectl, kubeconfigIn(placeIn(task.dir, process.env)));
  const results: CaseResult[] = [];
  const cases = Object.groupBy(
    CASES.filter(each => isAsked(each, task.only)),
    serversOf,
  );
  const kinds = (['one', 'several'] as const).filter(kind => kind in cases);
  for (const kind of kinds) {
    if (results.length > 0) await removeNamespaces(kubectl, [NAMESPACE, ELSEWHERE]);
    const hold = task.hold && kind === kinds.at(-1);
    results.push(...(await runOn(kind, cases[kind]!, { ...task, hold }, kubectl)));
  }
  log(`\n${caseTable(results)}\n`);
  return results.every(({ violations }) => violations.length === 0);
}

async function runOn(kind: ServersKind, cases: ClusterCase[], task: Task, kubectl: Kubectl): Promise<CaseResult[]> {
  const { dir, built, kustomize, previous, seed, clips, hold } = task;
  const { signal } = stop;
  const place = placeIn(dir, process.env);
  await using beside = await startBeside(kind, dir, { log, signal });
  const { productEnv, several } = beside;
  const certificates = await makeCertificates(join(dir, 'tls'));
  const overlay: Overlay = async (name, more) =>
    beside.withOwnSecrets(await renderOverlay(kustomize, join(dir, name), productEnv, more));
  const objects = await overlay('overlay');
  const began = Date.now();
  const secrets = [...(await secretsOf(productEnv, certificates)), ...beside.secrets];
  const product = await install(kubectl, secrets, objects);
  log(`the product is installed and ready (${Math.round((Date.now() - began) / 1000)} s)`);
  const operatorPod = await renderOperator(kustomize, dir);
  const production = await renderProduction(kustomize);
  const helm: Installed['helm'] = async (args, timeoutMs = HELM_MS) =>
    (await runFile(task.helm, [`--kubeconfig=${kubeconfigIn(place)}`, ...args], { timeout: timeoutMs })).stdout;
  const installed: Installed = {
    ...{ product, helm, kustomize, objects, production, operatorPod, certificates, overlay, previous, dir },
    ...{ place, built, serversEnv: beside.env, several },
  };
  const results = await runCases(installed, { cases, unbuilt: task.unbuilt, seed, clips, log, signal });
  if (hold) await holdOpen(installed, task);
  return results;
}

/** Prints the commands for reaching the cluster from other shells of this computer. Waits until the cluster ends. */
async function holdOpen(installed: Installed, { kubectl }: Task): Promise<void> {
  const inside = `nsenter --target ${process.pid} --net --`;
  const asked = `${kubectl} --kubeconfig ${kubeconfigIn(installed.place)} --namespace ${NAMESPACE}`;
  isHeld = true;
  log(`The cluster runs until Ctrl-C. In another shell of this computer, as root:
  ${inside} ${asked} get pods
  ${inside} curl --header 'Authorization: Bearer ${await newOwner(installed)}' ${ORIGIN}/api/projects`);
  await released.promise;
}

try {
  const task = JSON.parse(await readFile(process.argv[2]!, 'utf8')) as Task;
  process.exitCode = Number(!(await Promise.race([main(task), stopped])));
} catch (error) {
  console.error(stop.signal.aborted ? (error as Error).message : error);
  process.exitCode = 1;
}
process.exit();
