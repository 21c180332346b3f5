import { mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Child, startChild } from '@recording-request/stack/child-process';
import { exists } from '@recording-request/stack/files';
import { run } from '@recording-request/stack/install/run';
import { waitFor } from '@recording-request/stack/wait';
import { DNS_ADDRESS, LAB_FILES, METADATA_ADDRESS, NODE_ADDRESS, OUTSIDE_ADDRESS, type Place } from './place.ts';

/** A machine within this one: separate processes, mounts, cgroups and network, which end with this process. */
export interface Machine extends AsyncDisposable {
  /** Returns the command and arguments that run a command on it. */
  inside(command: string, args: string[]): [string, string[]];
  /**
   * Returns the command and arguments that run a command beside the cluster. Such a program shares the machine's
   * network and memory count, but sees the files of this computer.
   */
  beside(command: string, args: string[]): [string, string[]];
  /** The path of its memory cgroup. */
  memory: string;
  /** Runs a command on it to its end; resolves to the output. */
  run(command: string, args: string[], timeoutMs?: number): Promise<string>;
  /** Starts a program on the machine. Its output goes to a log with its name. */
  start(name: string, command: string, args: string[]): Promise<Child>;
}

const CGROUPS = '/sys/fs/cgroup';
const GROUP = 'recording-request-lab';
/**
 * The CPU group of all lab processes outside pods. As on a real node, it weighs as much as pods that request one
 * processor.
 */
const SYSTEM = 'system';
/**
 * The CPU weight of the lab. With the default weight, a node with all its pods would get only as much CPU as a single
 * thread of a server beside it.
 */
const LAB_SHARES = 4 * 1024;
/**
 * The CPU group of the programs beside the cluster. In production, they run on other machines, so the start of pods
 * must not slow them down.
 */
const BESIDE = 'recording-request-beside';
const BESIDE_SHARES = 2 * LAB_SHARES;
const MORE_ADDRESSES = [DNS_ADDRESS, OUTSIDE_ADDRESS, METADATA_ADDRESS];
const WANTED = ['cpu', 'cpuacct', 'cpuset', 'memory', 'devices', 'freezer', 'blkio', 'pids'];
const READY_MS = 20_000;
const STEP_MS = 60_000;

/** Starts the machine. Fails with a sentence if this computer does not permit it. Calls `onExit` when a program ends before the machine. */
export async function startMachine(
  { state, logs }: Place,
  pause: string,
  onExit: (name: string, logFile: string) => void,
): Promise<Machine> {
  if (process.getuid?.() !== 0) throw new Error('A Kubernetes node needs root: run this as root.');
  const own = await cgroupsOf('self');
  const missing = WANTED.filter(name => !own.has(name));
  if (missing.length > 0)
    throw new Error(`A node is started in cgroups of version 1, and this computer has none for ${missing.join(', ')}.`);
  await removeGroups(own);
  await mkdir(state, { recursive: true });
  await makeGroups(own);
  const args = [
    ...[
      '--mount',
      '--net',
      '--pid',
      '--fork',
      '--kill-child',
      '--uts',
      '--ipc',
      '--cgroup',
      '--propagation',
      'private',
    ],
    ...['sh', join(LAB_FILES, 'init.sh'), state, NODE_ADDRESS, pause, ...MORE_ADDRESSES],
  ];
  const join_ = [...own].map(([name, path]) => `echo $$ > ${groupOf(name, path)}/cgroup.procs`).join('; ');
  const child = await startChild({
    name: 'machine',
    command: 'sh',
    args: ['-c', `${join_}; exec unshare "$@"`, 'sh', ...args],
    env: { ...process.env, CONTROLLERS: WANTED.join(' ') },
    logFile: join(logs, 'machine.log'),
  });
  const isReady = async () => ((await exists(join(state, 'ready'))) ? true : undefined);
  await waitFor('the lab’s machine', isReady, { timeoutMs: READY_MS, child });
  const pid = await firstChildOf(child.pid);
  const inside: Machine['inside'] = (command, args) => [
    'sh',
    [join(LAB_FILES, 'enter.sh'), String(pid), command, ...args],
  ];
  const memory = groupOf('memory', own.get('memory')!);
  const cpu = groupOf('cpu', own.get('cpu')!, BESIDE);
  const network = `echo $$ > ${memory}/cgroup.procs; echo $$ > ${cpu}/cgroup.procs; exec nsenter --target ${pid} --net -- "$@"`;
  let isOver = false;
  return {
    inside,
    beside: (command, args) => ['sh', ['-c', network, 'sh', command, ...args]],
    memory,
    run: (command, args, timeoutMs = STEP_MS) =>
      run(...inside(command, args), { what: `${command} ${args[0] ?? ''}`, log: () => {}, timeoutMs }),
    start: async (name, command, args) => {
      const [file, argv] = inside(command, args);
      const started = await startChild({
        name,
        command: file,
        args: argv,
        env: process.env,
        logFile: join(logs, `${name}.log`),
      });
      void started.exited.then(() => isOver || onExit(name, started.logFile));
      return started;
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      // Kills the machine's first process. The kernel then ends all its other processes.
      process.kill(pid, 'SIGKILL');
      await child.exited;
      await removeGroups(own);
      await rm(state, { recursive: true, force: true });
    },
  };
}

/** Returns the cgroup of a process for each required controller, and systemd's. */
async function cgroupsOf(process: number | 'self'): Promise<Map<string, string>> {
  const lines = (await readFile(`/proc/${process}/cgroup`, 'utf8')).trim().split('\n');
  const found = new Map<string, string>();
  for (const line of lines) {
    const [, names = '', path = '/'] = line.split(':');
    const name = names.replace(/^name=/, '');
    if (WANTED.includes(name) || name === 'systemd') found.set(name, path);
  }
  return found;
}

const groupOf = (controller: string, path: string, group = GROUP) => join(CGROUPS, controller, path, group);

async function makeGroups(own: Map<string, string>): Promise<void> {
  for (const [name, path] of own) {
    const dir = groupOf(name, path);
    await mkdir(dir, { recursive: true });
    if (name === 'cpu') {
      await mkdir(join(dir, SYSTEM), { recursive: true });
      await writeFile(join(dir, 'cpu.shares'), String(LAB_SHARES));
      const beside = groupOf(name, path, BESIDE);
      await mkdir(beside, { recursive: true });
      await writeFile(join(beside, 'cpu.shares'), String(BESIDE_SHARES));
    }
    if (name !== 'cpuset') continue;
    for (const file of ['cpuset.cpus', 'cpuset.mems'])
      await writeFile(join(dir, file), await readFile(join(CGROUPS, name, path, file)));
  }
}

/** Removes the cgroups of earlier runs. A group that still has a process stays. */
async function removeGroups(own: Map<string, string>): Promise<void> {
  for (const [name, path] of own) await removeGroup(groupOf(name, path)).catch(() => {});
  await removeGroup(groupOf('cpu', own.get('cpu')!, BESIDE)).catch(() => {});
}

async function removeGroup(dir: string): Promise<void> {
  for (const entry of await readdir(dir, { withFileTypes: true }))
    if (entry.isDirectory()) await removeGroup(join(dir, entry.name));
  await rmdir(dir);
}

async function firstChildOf(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return Number(children.trim().split(' ')[0]);
}
