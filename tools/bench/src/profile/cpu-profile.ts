/** What V8 writes with `--cpu-prof`, as far as it is read here. */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  /** The id of the node that ran at each sample. */
  samples: number[];
  /** Microseconds before each sample, since the one before. */
  timeDeltas: number[];
}

/** What used a process's time, in milliseconds. */
export interface Usage {
  /** Neither waiting for anything. */
  busyMs: number;
  /** By package, by folder of the product, or `(garbage collector)` and what else V8 names so. */
  owners: Map<string, number>;
  /** By function, with its owner and line. */
  functions: Map<string, number>;
}

const IDLE = '(idle)';

/**
 * Returns what used the time in the second half of a profile: a process that has just started runs code that is not compiled yet.
 * Time is counted where it was spent, not with callers.
 */
export function usageOf({ nodes, samples, timeDeltas }: CpuProfile): Usage {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const half = timeDeltas.reduce((sum, delta) => sum + delta, 0) / 2;
  const usage: Usage = { busyMs: 0, owners: new Map(), functions: new Map() };
  let passed = 0;
  for (const [at, id] of samples.entries()) {
    // A sample stands for the time until the next one.
    const ms = (timeDeltas[at + 1] ?? 0) / 1_000;
    passed += timeDeltas[at] ?? 0;
    const { functionName, url, lineNumber } = frames.get(id)!;
    if (passed < half || functionName === IDLE) continue;
    const owner = ownerOf(functionName, url);
    const name = functionName || '(anonymous)';
    usage.busyMs += ms;
    add(usage.owners, owner, ms);
    add(usage.functions, url ? `${owner} ${name}:${lineNumber + 1}` : name, ms);
  }
  return usage;
}

/** Returns which service a profile is of; undefined where it is of none. */
export function serviceOf({ nodes }: CpuProfile): string | undefined {
  for (const { callFrame } of nodes) {
    const [, name] = /services\/([a-z]+)\/src\/main\.ts$/.exec(callFrame.url) ?? [];
    if (name) return name;
  }
  return undefined;
}

function ownerOf(functionName: string, url: string): string {
  if (!url) return functionName.startsWith('(') ? functionName : '(native)';
  if (url.startsWith('node:')) return 'node';
  const [, library] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (library) return library;
  const [, room] = /((?:packages|services)\/[^/]+\/src(?:\/[^/]+(?=\/))?)/.exec(url) ?? [];
  return room ?? url;
}

const add = (sums: Map<string, number>, key: string, ms: number) => void sums.set(key, (sums.get(key) ?? 0) + ms);
