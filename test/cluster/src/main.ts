import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROGRAMS } from '@recording-request/demo/perform';
import { previousCommit } from '@recording-request/fault-test/versions/previous-version';
import { print, runCommand } from '@recording-request/harness/command';
import { openScratch } from '@recording-request/harness/scratch';
import { tableOf } from '@recording-request/harness/table';
import { ensureHelm, ensureKustomize } from '@recording-request/k8s/install';
import { startCluster } from '@recording-request/k8s/lab/cluster';
import { buildImages } from '@recording-request/k8s/lab/images';
import { type Machine, startMachine } from '@recording-request/k8s/lab/machine';
import { watchMemory } from '@recording-request/k8s/lab/memory';
import { ensureModulePrograms } from '@recording-request/k8s/lab/module-programs';
import { placeIn } from '@recording-request/k8s/lab/place';
import { keepPodLogs } from '@recording-request/k8s/lab/pod-logs';
import { ensurePrograms } from '@recording-request/k8s/lab/programs';
import { dieWithParent } from '@recording-request/stack/child-process';
import { extractCommit } from '@recording-request/stack/install/check-out';
import type { InstallContext } from '@recording-request/stack/install/context';
import { ensure } from '@recording-request/stack/install/ensure';
import { ensureMinioClient } from '@recording-request/stack/install/minio-client';
import { ensureNginx } from '@recording-request/stack/install/nginx';
import { CASES } from './cases/all.ts';
import { upgrade } from './cases/upgrade.ts';
import { isAsked, serversOf } from './cluster-case.ts';
import type { Task } from './inside.ts';
import { HELP, type Options, parseOptions } from './options.ts';
import { attemptOf } from './validated-only.ts';

const INSIDE = fileURLToPath(new URL('./inside.ts', import.meta.url));
const began = Date.now();
const lap = (what: string) => print(`${what} (${Math.round((Date.now() - began) / 1000)} s since the start)`);

async function runInLab({ only, seed, clips, hold, list }: Options, stopped: AbortSignal): Promise<number> {
  if (list) {
    for (const { name, promise } of CASES) print(`${name}\n    ${promise}`);
    return 0;
  }
  const lost = new AbortController();
  const signal = AbortSignal.any([stopped, lost.signal]);
  const { env } = process;
  const context = { env, log: print, signal };
  await using scratch = await openScratch('k8s');
  const dir = scratch.path;
  const place = placeIn(dir, env);
  // Whisper would use the processors that the cluster needs.
  process.env.SPEECH_ENGINE ||= 'pocketsphinx';
  // Installs the cases' programs here, because the lab's network cannot reach other networks.
  await ensure([...PROGRAMS, 'mongo', 'kafka', 's3', 'speech'], print, { signal });
  await ensureNginx(context);
  const kustomize = await ensureKustomize(context);
  const helm = await ensureHelm(context);
  const programs = await ensurePrograms(context);
  if (CASES.some(each => isAsked(each, only) && serversOf(each) === 'several')) await ensureMinioClient(context);
  const { built, unbuilt } = await buildNeeded(only, context);
  const previous = isAsked(upgrade, only) ? await extractCommit(await previousCommit(), dir) : undefined;
  const images = await buildImages(place, { programs, previous }, context);
  signal.throwIfAborted();
  const builtAt = Date.now();
  lap(`both images are built: ${Math.round(images.bytes / 1e6)} MB in ${images.seconds} s`);
  await using machine = await startMachine(place, programs.pause, (name, file) =>
    lost.abort(new Error(`${name} ended unexpectedly: see ${file}`)),
  );
  await using _podLogs = keepPodLogs(place);
  using memory = watchMemory(machine.memory);
  await startCluster(machine, place, { programs, images: images.files });
  lap('the cluster is ready');
  const task: Task = {
    ...{ dir, kubectl: programs.kubectl, built, unbuilt, kustomize, helm, previous },
    ...{ only, seed, clips, hold },
  };
  await writeFile(join(dir, 'task.json'), JSON.stringify(task));
  const status = await runBeside(machine, [...process.execArgv, INSIDE, join(dir, 'task.json')], signal);
  if (signal.aborted && status !== 0) print(`given up: ${signal.reason.message}`);
  const seconds = (ms: number) => `${Math.round(ms / 1_000)} s`;
  const totals = [
    ['whole run', seconds(Date.now() - began)],
    ['of it, building', seconds(builtAt - began)],
    ['peak memory', `${(memory.peak / 1e9).toFixed(1)} GB`],
  ];
  print(`${tableOf(totals, [1])}\n`);
  lap(status === 0 ? 'every promise was kept' : 'promises were broken');
  if (status === 0) return 0;
  scratch.keep();
  print(`logs: ${place.logs}; those of pods, deleted ones included, in its folder pods`);
  return status;
}

/** Builds the programs that only some cases need. A failed build affects only these cases; all others run. */
async function buildNeeded(only: string[], context: InstallContext): Promise<Pick<Task, 'built' | 'unbuilt'>> {
  const [built, unbuilt]: [Task['built'], Task['unbuilt']] = [{}, {}];
  for (const { needs } of CASES.filter(each => isAsked(each, only))) {
    if (!needs) continue;
    try {
      built[needs.name] = await ensureModulePrograms(needs, context);
    } catch (error) {
      context.signal?.throwIfAborted();
      unbuilt[needs.name] = attemptOf(needs, error);
      print(unbuilt[needs.name]!);
    }
  }
  return { built, unbuilt };
}

/** Runs Node with these arguments beside the lab's cluster, on its network. Resolves to the exit code. */
async function runBeside(machine: Machine, nodeArgs: string[], signal: AbortSignal): Promise<number> {
  // The lab may have ended during the start of the cluster.
  signal.throwIfAborted();
  const [file, args] = dieWithParent(...machine.beside(process.execPath, nodeArgs));
  const child = spawn(file, args, { stdio: 'inherit' });
  signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', code => resolve(code ?? 1));
  });
}

await runCommand({ help: HELP, parse: parseOptions, run: runInLab });
