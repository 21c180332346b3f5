/**
 * The names that a slot counts for, from the widest to the narrowest: an owner, one of its links, an address at that
 * link.
 */
export type Path = readonly [string, ...string[]];

let names = 0;
/**
 * Returns a path with a unique name. Unique names limit no caller to a share, and waiting callers are served in order.
 */
export const ownName = (): Path => [String(++names)];

/** The queue has no place left for this path. */
export class QueueFullError extends Error {}

/**
 * Slots that several owners share, so that none of them can take all. A name may take one more slot only while it holds
 * fewer slots than are free. One busy owner gets half of the slots, and k busy owners get 1/(k+1) each. A new owner
 * holds no slot, so it may take any free slot. The same rule divides a name's slots among the names below it: an
 * owner's links, the addresses at a link.
 */
export interface FairSlots {
  /**
   * Takes a slot for all these paths at once; undefined if a name of the paths has reached its share. Disposing returns
   * the slot, once.
   */
  tryTake(...paths: [Path, ...Path[]]): Disposable | undefined;
  /**
   * Waits for a slot. A free slot goes to the waiting name that holds the fewest slots; on a tie, to the name served
   * least recently. Rejects with the signal's reason, or with QueueFullError: the same rule divides the places of the
   * queue. An `amount` above 1 takes several slots at once (for example, bytes), and needs a path of one name. The name
   * may then hold at most as many slots as were free before. No name overtakes a waiting name that holds no slot.
   */
  take(path: Path, signal: AbortSignal, amount?: number): Promise<Disposable>;
  used(): number;
  waiting(): number;
}

interface Name {
  held: number;
  /** The counter's value at the time the name was last served, or when it was added. */
  since: number;
  below: Map<string, Name>;
  /** The callers that wait for exactly this path, in order. */
  queue: Set<Waiting>;
  /** The number of callers that wait for this name or for a name below it. */
  waiting: number;
}

interface Waiting {
  amount: number;
  serve(): void;
}

/** Returns `capacity` slots and a queue with `queued` places. */
export function createFairSlots(capacity: number, { queued = 0 }: { queued?: number } = {}): FairSlots {
  const root = newName(0);
  const places = queued > 0 ? createFairSlots(queued) : undefined;
  let clock = 0;
  const left = () => capacity - root.held;

  const namesOf = (path: Path): Name[] => {
    let at = root;
    return path.map(name => {
      at = entryOf(at.below, name, () => newName(++clock));
      return at;
    });
  };

  function hold(paths: readonly Path[], amount = 1): Disposable {
    const names = paths.flatMap(namesOf);
    clock += 1;
    root.held += amount;
    for (const name of names) Object.assign(name, { held: name.held + amount, since: clock });
    let isHeld = true;
    return {
      [Symbol.dispose]() {
        if (!isHeld) return;
        isHeld = false;
        root.held -= amount;
        for (const name of names) name.held -= amount;
        for (const path of paths) forgetUnused(root, path);
        serveWaiting();
      },
    };
  }

  function serveWaiting(): void {
    // The loop ends, because each caller that gets a slot leaves fewer free slots.
    for (let next = firstServed(root, left()); next; next = firstServed(root, left())) next.serve();
  }

  const tryTake: FairSlots['tryTake'] = (...paths) =>
    paths.every(path => isAllowed(root, path, left())) ? hold(paths) : undefined;

  /** Resolves with a slot when it is this caller's turn. */
  function inQueue(path: Path, signal: AbortSignal, amount: number): Promise<Disposable> {
    const names = namesOf(path);
    const { queue } = names.at(-1)!;
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>();
    const leave = () => {
      queue.delete(entry);
      for (const name of names) name.waiting -= 1;
      signal.removeEventListener('abort', giveUp);
    };
    const entry: Waiting = {
      amount,
      serve() {
        leave();
        resolve(hold([path], amount));
      },
    };
    const giveUp = () => {
      leave();
      forgetUnused(root, path);
      reject(signal.reason);
      serveWaiting();
    };
    queue.add(entry);
    for (const name of names) name.waiting += 1;
    signal.addEventListener('abort', giveUp, { once: true });
    serveWaiting();
    return promise;
  }

  return {
    tryTake,
    async take(path, signal, amount = 1) {
      signal.throwIfAborted();
      const taken = amount === 1 ? tryTake(path) : undefined;
      if (taken) return taken;
      using place = places?.tryTake(path);
      if (!place) throw new QueueFullError('Too many wait already.');
      return await inQueue(path, signal, Math.min(amount, capacity));
    },
    used: () => root.held,
    waiting: () => places?.used() ?? 0,
  };
}

const newName = (since: number): Name => ({ held: 0, since, below: new Map(), queue: new Set(), waiting: 0 });

function entryOf<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/**
 * Returns how many more slots a name with `held` slots may take when `left` are free: above 0 only while it holds fewer
 * slots than are free.
 */
const share = (held: number, left: number): number => Math.ceil((left - held) / 2);

function isAllowed(root: Name, path: Path, free: number): boolean {
  let at: Name | undefined = root;
  let left = free;
  for (const name of path) {
    at = at?.below.get(name);
    left = share(at?.held ?? 0, left);
    if (left <= 0) return false;
  }
  return true;
}

/** Returns the next waiting caller below a name; undefined if no waiting caller may take a slot. */
function firstServed(name: Name, left: number): Waiting | undefined {
  const waiting = [...name.below.values()].filter(each => each.waiting > 0);
  waiting.sort((a, b) => a.held - b.held || a.since - b.since);
  for (const each of waiting) {
    const [first] = each.queue;
    if (first && each.held + first.amount > left) {
      if (each.held === 0) return undefined;
      continue;
    }
    const found = first ?? firstServed(each, share(each.held, left));
    if (found) return found;
  }
  return undefined;
}

/** Removes those names of a path that hold no slot and have no waiting caller. */
function forgetUnused(above: Name, [first, ...rest]: readonly string[]): void {
  const name = first === undefined ? undefined : above.below.get(first);
  if (first === undefined || !name) return;
  forgetUnused(name, rest);
  if (name.held === 0 && name.waiting === 0) above.below.delete(first);
}
