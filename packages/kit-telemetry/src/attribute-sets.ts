// Where the SDK finds the hash of attributes that it was given before.
const HASH = Symbol('recording-request.hash');

interface Hashed {
  [HASH]?: string;
}

interface HashMap {
  _hash(attributes: object): string;
  get(attributes: Hashed, hash?: string): unknown;
}

/**
 * Returns what keeps the attributes of measurements by a key, of which there are as many as series: those of a key are made once, and are one
 * object from then on.
 */
export function attributeSets<A extends object>(): (key: string, make: () => A) => A {
  const sets = new Map<string, A>();
  return (key, make) => {
    let attributes = sets.get(key);
    if (!attributes) {
      attributes = Object.defineProperty(make(), HASH, { value: undefined, writable: true });
      sets.set(key, attributes);
    }
    return attributes;
  };
}

/**
 * Has the SDK keep the hash of attributes that are kept: to find the series of a measurement it sorts their names and prints them as JSON, for
 * each one. There is no option for it, so that this reaches into the SDK.
 */
export async function keepHashes(): Promise<void> {
  const file = new URL('state/HashMap.mjs', import.meta.resolve('@opentelemetry/sdk-metrics'));
  const { prototype } = ((await import(file.href)) as { HashMap: { prototype: HashMap } }).HashMap;
  const { get } = prototype;
  prototype.get = function (attributes, hash) {
    if (hash !== undefined || !(HASH in attributes)) return get.call(this, attributes, hash);
    attributes[HASH] ??= this._hash(attributes);
    return get.call(this, attributes, attributes[HASH]);
  };
}
