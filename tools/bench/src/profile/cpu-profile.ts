/** The part of V8's `--cpu-prof` output that the report uses. */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  /** The id of the node that ran at each sample. */
  samples: number[];
  /** Microseconds between the previous sample and each sample. */
  timeDeltas: number[];
}

/** The use of a process's time, in milliseconds. */
export interface Usage {
  /** The time without idle time. */
  busyMs: number;
  /** The time by package, by folder of the product, or by V8's own name, such as `(garbage collector)`. */
  owners: Map<string, number>;
  /** The time by function, with its owner and line. */
  functions: Map<string, number>;
}

const IDLE = '(idle)';

/**
 * Returns how a process used its time in the second half of a profile. Ignores the first half, in which a new process
 * runs code that is not compiled yet. Counts time for the function that spent it, not for the callers of this function.
 */
export function usageOf({ nodes, samples, timeDeltas }: CpuProfile): Usage {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const half = timeDeltas.reduce((sum, delta) => sum + delta, 0) / 2;
  const usage: Usage = { busyMs: 0, owners: new Map(), functions: new Map() };
  let passed = 0;
  for (const [at, id] of samples.entries()) {
    // A sample counts for the time until the next sample.
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

/** Returns the service of a profile; undefined for another process. */
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
