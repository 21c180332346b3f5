import { CHECKS } from '@recording-request/kit-telemetry/checks';
import { type Manifest, podOf } from '../manifests.ts';
import { variablesRead } from './configuration.ts';
import type { Program } from './environment.ts';
import { type Finding, fault, find, listed, type Part, similar } from './finding.ts';
import { isMade, knownKeys, type Read } from './secrets.ts';
import { isFile } from './stand-ins.ts';

/** A file that a program reads because a variable names it. */
interface ReadFile {
  program: Program;
  variable: string;
  path: string;
  mount: Part;
  volume: Part;
}

/** Returns the files that the variables of programs name. */
export async function filesRead(programs: Program[]): Promise<ReadFile[]> {
  const lists = programs.map(async program => {
    const read = await variablesRead(program.name);
    const named = Object.entries(program.values).filter(
      ([name, path]) => isFile(name) && path && (read.has(name) || name in CHECKS),
    );
    return named.map(([variable, path]) => {
      const mounts: Part[] = program.container.volumeMounts ?? [];
      const mount = mounts.find(({ mountPath }) => `${path}/`.startsWith(`${mountPath.replace(/\/$/, '')}/`));
      const volume = podOf(program.object)?.spec.volumes?.find(({ name }: Part) => name === mount?.name);
      return { program, variable, path, mount, volume };
    });
  });
  return (await Promise.all(lists)).flat();
}

const keyOf = ({ path, mount }: ReadFile): string => path.slice(mount.mountPath.replace(/\/$/, '').length + 1);

/**
 * Returns the keys of mounted Secrets that programs read as files. Includes an optional Secret only if no object of the
 * overlay creates it.
 */
export const keysRead = (files: ReadFile[], all: Manifest[]): Read[] =>
  files
    .filter(({ mount, volume }) => mount && volume?.secret && !volume.secret.items)
    .filter(
      ({ program: { object, values }, variable, volume: { secret } }) =>
        !secret.optional ||
        !(isMade(secret.secretName, object.metadata.namespace, all) || isUnused(variable, values.INTERNAL_PLAINTEXT)),
    )
    .map(file => ({
      secret: file.volume.secret.secretName,
      key: keyOf(file),
      optional: false,
      by: file.program.object,
    }));

const isUnused = (variable: string, plaintext: string | undefined): boolean =>
  plaintext === 'true' && /^TLS_/.test(variable);

/** Returns a fault for each variable with a file that no volume of the container provides. */
export function fileFindings(files: ReadFile[], all: Manifest[]): Finding[] {
  const refused = files.flatMap(file => {
    const sentence = faultOf(file, all);
    return sentence ? [{ sentence: `${file.variable}=${file.path}: ${sentence}`, name: file.program.name }] : [];
  });
  return [...Map.groupBy(refused, ({ sentence }) => sentence)].map(([sentence, each]) =>
    fault(`${sentence} (${listed([...new Set(each.map(({ name }) => name))])}).`),
  );
}

function faultOf(file: ReadFile, all: Manifest[]): string | undefined {
  const { mount, volume } = file;
  if (!mount) return 'no volume is mounted there: correct the path, or mount a volume';
  const { namespace } = file.program.object.metadata;
  // Checks only optional Secrets: the rule about Secrets reports missing keys of all others.
  const secret = volume?.secret?.optional ? volume.secret.secretName : undefined;
  const map = volume?.configMap && find(all, 'ConfigMap', volume.configMap.name, namespace);
  const keys = secret
    ? knownKeys(secret, namespace, all)
    : map && new Set(Object.keys({ ...map.data, ...map.binaryData }));
  if (!keys || volume.secret?.items || volume.configMap?.items || mount.subPath) return undefined;
  const key = keyOf(file);
  const owner = secret ? `Secret ${secret}` : `ConfigMap ${map?.metadata.name}`;
  return keys.has(key) ? undefined : `the ${owner} has no key ${key}${similar(key, keys)}`;
}
