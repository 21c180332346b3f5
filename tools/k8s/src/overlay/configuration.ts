import { refuseUnknownSettings } from '@recording-request/admin/unknown-settings';
import { type ConfigError, loadConfig } from '@recording-request/kit/config';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { objectVariables } from '@recording-request/kit-objects/variables';
import { readSignals } from '@recording-request/kit-telemetry/settings';
import { variables as ofBackups } from '../../../admin/src/backup/target-variables.ts';
import type { Manifest } from '../manifests.ts';
import { readConfigOf, variablesOf } from '../repository.ts';
import { SERVICES } from '../settings.ts';
import type { Program } from './environment.ts';
import { type Finding, fault, find, inWords, listed, type Part } from './finding.ts';
import { isFile, SECRETS, standIn } from './stand-ins.ts';

/** The variables of the commands that connect to the servers, without the variables of the backup bucket. */
const STORES = { ...mongoVariables, ...kafkaVariables, ...objectVariables };
/** Prefixes the fields of the backup's store, because both stores of a backup have fields with the same names. */
const STORES_OF_BACKUP = {
  ...STORES,
  ...Object.fromEntries(Object.entries(ofBackups).map(([field, of]) => [`${field} of backups`, of])),
};
const variablesOfCommand = (name: string) => (name === 'backup' ? STORES_OF_BACKUP : STORES);

/** Returns the names of the variables that a program reads, including those for files of secrets. */
export async function variablesRead(name: string): Promise<Set<string>> {
  if (name in SERVICES) return await variablesOf(name);
  const read = Object.values(variablesOfCommand(name));
  return new Set(read.flatMap(({ name, isSecret }) => (isSecret ? [name, `${name}_FILE`] : [name])));
}

async function faultsOf(name: string, env: Record<string, string>): Promise<string[]> {
  const attempts = [
    async () => void (name in SERVICES ? await readConfigOf(name, env) : loadConfig(env, variablesOfCommand(name))),
    async () => void readSignals(env),
  ];
  const found: string[] = [];
  for (const attempt of attempts)
    await attempt().catch((error: Error) => {
      if (error.name !== 'ConfigError') throw error;
      found.push(...(error as ConfigError).faults);
    });
  // Drops repeated faults: a backup without its own store reports the faults of the settings S3_… again.
  return found.filter(each => !each.startsWith('BACKUP_') || !found.includes(each.replace('BACKUP_', '')));
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
 * Reads the configuration of each program in the same way as its start. Uses stand-ins for secrets and files that are
 * not in the overlay, so it does not check their values.
 */
export const startsOf = (programs: Program[], fileFor: (variable: string) => string): Promise<Start[]> =>
  Promise.all(
    // Skips programs without their settings: these would only report the missing settings again.
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
  // Adds an optional secret only if the program needs it, because the program refuses an unused secret.
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

/** Returns advice for a missing secret: with Secrets as files, its setting is missing. */
function adviceFor(sentence: string, { container }: Program): string {
  const [, name = ''] = /^(\w+) is not set$/.exec(sentence) ?? [];
  const isMounted = container.volumeMounts?.some(({ mountPath }: Part) => mountPath === '/secrets');
  return isMounted && SECRETS.has(name) ? `: set ${name}_FILE=/secrets/${name}` : '';
}

/** Returns a fault for each sentence that programs would log, with the names of these programs. */
export function configurationFindings(starts: Start[]): Finding[] {
  const refusedBy = new Map<string, Set<string>>();
  for (const { program, faults } of starts)
    for (const each of faults) {
      const sentence = `${each}${adviceFor(each, program)}`;
      refusedBy.set(sentence, (refusedBy.get(sentence) ?? new Set()).add(program.name));
    }
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

/** Returns a fault for each secret in a ConfigMap with settings, which more people may read than a Secret. */
export const secretSettings = (all: Manifest[]): Finding[] =>
  all
    .filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('settings'))
    .flatMap(map =>
      Object.entries(map.data ?? {})
        .filter(([name, value]) => SECRETS.has(name) && value !== '')
        .map(([name]) => fault(`${inWords(map)}: ${name} is a secret: move it to the Secret of the workload.`)),
    );

/** Returns a fault for each setting of one service that a variable of its container overrides. */
export function overriddenSettings(all: Manifest[], programs: Program[]): Finding[] {
  return programs.flatMap(({ name, object, container }) => {
    const maps: string[] = (container.envFrom ?? []).map((each: Part) => each.configMapRef?.name ?? '');
    const map = maps.find(each => each.startsWith(`settings-${name}`));
    const own = map && find(all, 'ConfigMap', map, object.metadata.namespace)?.data;
    return (container.env ?? [])
      .filter((each: Part) => each.value !== undefined && own && each.name in own)
      .map((each: Part) =>
        fault(
          `settings-${name}: ${each.name} has no effect, because ${inWords(object)} has this variable: patch it there.`,
        ),
      );
  });
}

function unknownAmong(names: Set<string>): string[] {
  try {
    refuseUnknownSettings(Object.fromEntries([...names].map(name => [`SETTING_${name}`, ''])));
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
}
