import { refuseUnknownSettings } from '@recording-request/admin/unknown-settings';
import { type ConfigError, loadConfig } from '@recording-request/kit/config';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { objectVariables } from '@recording-request/kit-objects/variables';
import { CHECKS } from '@recording-request/kit-telemetry/checks';
import { readSignals } from '@recording-request/kit-telemetry/settings';
import { type Manifest, podOf } from '../manifests.ts';
import { readConfigOf, variablesOf } from '../repository.ts';
import { SERVICES } from '../settings.ts';
import type { Program } from './environment.ts';
import { type Finding, fault, find, listed, type Part, similar } from './finding.ts';
import { knownKeys } from './secrets.ts';
import { isFile, standIn } from './stand-ins.ts';

const STORES = { ...mongoVariables, ...kafkaVariables, ...objectVariables };

/** Returns the names of the variables that a program reads, including those for files of secrets. */
export async function variablesRead(name: string): Promise<Set<string>> {
  if (name in SERVICES) return await variablesOf(name);
  return new Set(Object.values(STORES).flatMap(({ name, isSecret }) => (isSecret ? [name, `${name}_FILE`] : [name])));
}

async function faultsOf(name: string, env: Record<string, string>): Promise<string[]> {
  const attempts = [
    async () => void (name in SERVICES ? await readConfigOf(name, env) : loadConfig(env, STORES)),
    async () => void readSignals(env),
  ];
  const found: string[] = [];
  for (const attempt of attempts)
    await attempt().catch((error: Error) => {
      if (error.name !== 'ConfigError') throw error;
      found.push(...(error as ConfigError).faults);
    });
  return found;
}

/** The result of a program's start with the values of an overlay. */
export interface Start {
  program: Program;
  /** The sentences that the program would log. */
  faults: string[];
  /** The optional variables that it needs with these settings. */
  needed: Set<string>;
}

/**
 * Reads the configuration of each program as its start does. Uses stand-ins for secrets and files that are not in the
 * overlay, so it finds no fault of their values.
 */
export const startsOf = (programs: Program[], fileFor: (variable: string) => string): Promise<Start[]> =>
  Promise.all(
    // Without its settings, a program would only repeat that they are missing.
    programs.filter(({ lacksSettings }) => !lacksSettings).map(program => startOf(program, fileFor)),
  );

async function startOf(program: Program, fileFor: (variable: string) => string): Promise<Start> {
  const env = Object.fromEntries(
    Object.entries(program.values).map(([name, value]) => [name, value && isFile(name) ? fileFor(name) : value]),
  );
  for (const name of program.given) env[name] = isFile(name) ? fileFor(name) : standIn(name);
  const possible = new Set(program.possible);
  if (program.readsWholeSecret) for (const name of await variablesRead(program.name)) possible.add(name);
  const needed = new Set<string>();
  // Adds an optional secret only when the program needs it: the program refuses a secret that nothing uses.
  for (;;) {
    const faults = await faultsOf(program.name, env);
    const missing = [...possible].filter(
      name => !(name in env) && faults.some(each => new RegExp(`\\b${name}\\b`).test(each)),
    );
    if (missing.length === 0) return { program, faults, needed };
    for (const name of missing) {
      env[name] = standIn(name);
      needed.add(name);
    }
  }
}

/** Returns a fault for each sentence that programs would log, with their names. */
export function configurationFindings(starts: Start[]): Finding[] {
  const refusedBy = new Map<string, Set<string>>();
  for (const { program, faults } of starts)
    for (const sentence of faults) refusedBy.set(sentence, (refusedBy.get(sentence) ?? new Set()).add(program.name));
  return [...refusedBy].map(([sentence, names]) => fault(`${listed([...names])} would not start: ${sentence}.`));
}

/**
 * Returns a fault for each entry of a ConfigMap with settings that no program reads, and for each variable of a container
 * whose name is almost the name of a setting. Other variables may be for Node or the operator's own tools.
 */
export function unknownSettings(all: Manifest[], programs: Program[]): Finding[] {
  const names = new Set(
    programs.flatMap(({ container }) => (container.envFrom ?? []).map((each: Part) => each.configMapRef?.name)),
  );
  const settings = new Set(
    all
      .filter(({ kind, metadata }) => kind === 'ConfigMap' && names.has(metadata.name))
      .flatMap(({ data }) => Object.keys(data ?? {})),
  );
  const variables = programs.flatMap(({ container }) => (container.env ?? []).map(({ name }: Part) => name as string));
  return [
    ...unknownAmong(settings).map(sentence => fault(`settings: ${sentence}.`)),
    ...unknownAmong(new Set(variables))
      .filter(sentence => sentence.includes('similar'))
      .map(sentence => fault(`env: ${sentence}.`)),
  ];
}

function unknownAmong(names: Set<string>): string[] {
  try {
    refuseUnknownSettings(Object.fromEntries([...names].map(name => [`SETTING_${name}`, ''])));
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
}

/** Returns a fault for each variable with a file that no volume of the container provides. */
export async function fileFindings(programs: Program[], all: Manifest[]): Promise<Finding[]> {
  const found = new Map<string, Set<string>>();
  for (const program of programs) {
    const read = await variablesRead(program.name);
    for (const [name, path] of Object.entries(program.values)) {
      if (!isFile(name) || !path || !(read.has(name) || name in CHECKS)) continue;
      const sentence = faultOfFile(program, path, all);
      const whole = sentence && `${name}=${path}: ${sentence}`;
      if (whole) found.set(whole, (found.get(whole) ?? new Set()).add(program.name));
    }
  }
  return [...found].map(([sentence, names]) => fault(`${sentence} (${listed([...names])}).`));
}

function faultOfFile({ object, container }: Program, path: string, all: Manifest[]): string | undefined {
  const mounts: Part[] = container.volumeMounts ?? [];
  const mount = mounts.find(({ mountPath }) => `${path}/`.startsWith(`${mountPath.replace(/\/$/, '')}/`));
  if (!mount) return 'no volume is mounted there: correct the path, or mount a volume';
  const volume = podOf(object)?.spec.volumes?.find(({ name }: Part) => name === mount.name);
  const { secretName, items } = volume?.secret ?? {};
  const map = volume?.configMap && find(all, 'ConfigMap', volume.configMap.name, object.metadata.namespace);
  const keys = secretName
    ? knownKeys(secretName, object.metadata.namespace, all)
    : map && new Set(Object.keys({ ...map.data, ...map.binaryData }));
  if (!keys || items || volume?.configMap?.items || mount.subPath) return undefined;
  const key = path.slice(mount.mountPath.replace(/\/$/, '').length + 1);
  const [kind, name] = secretName ? ['Secret', secretName] : ['ConfigMap', map!.metadata.name];
  return keys.has(key) ? undefined : `the ${kind} ${name} has no key ${key}${similar(key, keys)}`;
}
