import { type Manifest, podOf } from '../manifests.ts';
import { find, type Part } from './finding.ts';
import { knownKeys, secretValues } from './secrets.ts';

/** A container that runs a service, or a command of the operator's tool that uses all servers. */
export interface Program {
  /** The service, `migrate` or `backup`. */
  name: string;
  object: Manifest;
  container: Part;
  /** The variables whose values are in the overlay. */
  values: Record<string, string>;
  /** The variables that the cluster always sets to values that are not in the overlay. */
  given: Set<string>;
  /** The variables that the cluster may set: optional keys of Secrets outside the overlay. */
  possible: Set<string>;
  /** True if it reads all keys of a Secret outside the overlay. */
  readsWholeSecret: boolean;
  /** True if it reads a ConfigMap that the overlay lacks. */
  lacksSettings: boolean;
}

const COMMANDS = ['migrate', 'backup'];

/**
 * Returns whether a service of the product is among the objects. If not, the objects belong to another overlay that has
 * the services.
 */
export const hasServices = (all: Manifest[]): boolean =>
  all
    .flatMap((object): Part[] => podOf(object)?.spec.containers ?? [])
    .map(({ args = [] }) => programOf(args))
    .some(name => name !== undefined && !COMMANDS.includes(name));

/** Returns the containers of our programs in the pods of all objects. */
export function programsIn(all: Manifest[]): Program[] {
  return all.flatMap(object => {
    const containers: Part[] = podOf(object)?.spec.containers ?? [];
    return containers.flatMap(container => {
      const name = programOf(container.args ?? []);
      return name ? [{ name, object, container, ...environmentOf(container, object, all) }] : [];
    });
  });
}

function programOf(args: string[]): string | undefined {
  for (const [at, word] of args.entries()) {
    const [, service] = /(?:^|\/)services\/([a-z]+)\/src\/main\.ts$/.exec(word) ?? [];
    if (service) return service;
    if (word.endsWith('tools/admin/src/main.ts')) return COMMANDS.find(each => each === args[at + 1]);
  }
  return undefined;
}

type Environment = Omit<Program, 'name' | 'object' | 'container'>;

function environmentOf(container: Part, { metadata }: Manifest, all: Manifest[]): Environment {
  const [values, given, possible] = [{} as Record<string, string>, new Set<string>(), new Set<string>()];
  let [readsWholeSecret, lacksSettings] = [false, false];
  for (const { configMapRef, secretRef, prefix = '' } of container.envFrom ?? []) {
    const map = configMapRef && find(all, 'ConfigMap', configMapRef.name, metadata.namespace);
    const found = configMapRef ? map && (map.data ?? {}) : secretValues(secretRef.name, metadata.namespace, all);
    for (const [name, value] of Object.entries<string>(found ?? {})) values[`${prefix}${name}`] = String(value);
    readsWholeSecret ||= secretRef !== undefined && !found;
    lacksSettings ||= configMapRef !== undefined && !configMapRef.optional && !found;
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    const known = value ?? valueIn(valueFrom, metadata.namespace, all);
    if (known !== undefined) {
      values[name] = String(known);
      continue;
    }
    const { secretKeyRef: secret, configMapKeyRef: map } = valueFrom ?? {};
    const keys = secret && knownKeys(secret.name, metadata.namespace, all);
    const isOptional = (secret ?? map)?.optional;
    if (isOptional && keys && !keys.has(secret.key)) continue;
    if (isOptional && !keys) possible.add(name);
    else {
      given.add(name);
      delete values[name];
    }
  }
  return { values, given, possible, readsWholeSecret, lacksSettings };
}

interface Reference {
  name: string;
  key: string;
}

function valueIn(
  from: { secretKeyRef?: Reference; configMapKeyRef?: Reference } | undefined,
  namespace: string | undefined,
  all: Manifest[],
): string | undefined {
  const { secretKeyRef: secret, configMapKeyRef: map } = from ?? {};
  if (secret) return secretValues(secret.name, namespace, all)?.[secret.key];
  return map && find(all, 'ConfigMap', map.name, namespace)?.data?.[map.key];
}
