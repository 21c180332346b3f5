import { type Manifest, podOf } from '../manifests.ts';
import { type Finding, fault, inWords, listed, note, type Part, similar } from './finding.ts';

/** A key of a Secret that a workload reads; without a key, the whole Secret. */
export interface Read {
  secret: string;
  key?: string;
  optional: boolean;
  by: Manifest;
}

/** Returns the decoded values of a Secret in the overlay; undefined if the overlay has no such Secret. */
export function secretValues(
  name: string,
  namespace: string | undefined,
  all: Manifest[],
): Record<string, string> | undefined {
  const found = all.find(
    ({ kind, metadata }) => kind === 'Secret' && metadata.name === name && metadata.namespace === namespace,
  );
  if (!found) return undefined;
  const decoded = Object.entries(found.data ?? {}).map(([key, value]) => [
    key,
    Buffer.from(String(value), 'base64').toString(),
  ]);
  return { ...Object.fromEntries(decoded), ...found.stringData };
}

/** The kinds that create Secrets in the cluster, each with a function that returns the Secrets' names. */
const MAKERS: Readonly<Record<string, (object: Manifest) => string[]>> = {
  Secret: ({ metadata }) => [metadata.name],
  ExternalSecret: ({ metadata, spec }) => [spec.target?.name ?? metadata.name],
  SealedSecret: ({ metadata, spec }) => [spec.template?.metadata?.name ?? metadata.name],
  SecretProviderClass: ({ spec }) => (spec.secretObjects ?? []).map(({ secretName }: Part) => secretName),
  Certificate: ({ spec }) => [spec.secretName],
  KafkaUser: ({ metadata }) => [metadata.name],
  ObjectBucketClaim: ({ metadata }) => [metadata.name],
};

const makers = (all: Manifest[], namespace: string | undefined): [name: string, maker: Manifest][] =>
  all
    .filter(({ metadata }) => metadata.namespace === namespace)
    .flatMap(object => (MAKERS[object.kind]?.(object) ?? []).map((name): [string, Manifest] => [name, object]));

/** Returns whether an object of the overlay creates the Secret. */
export const isMade = (name: string, namespace: string | undefined, all: Manifest[]): boolean =>
  makers(all, namespace).some(([each]) => each === name);

/**
 * Returns the keys of a Secret if the overlay has the Secret or an ExternalSecret that lists the keys. Returns
 * undefined if another program decides about the keys.
 */
export function knownKeys(name: string, namespace: string | undefined, all: Manifest[]): Set<string> | undefined {
  const values = secretValues(name, namespace, all);
  if (values) return new Set(Object.keys(values));
  const [, maker] = makers(all, namespace).find(([each]) => each === name) ?? [];
  if (maker?.kind !== 'ExternalSecret' || maker.spec.dataFrom || maker.spec.target?.template) return undefined;
  return new Set((maker.spec.data ?? []).map(({ secretKey }: { secretKey: string }) => secretKey));
}

function readsOf(by: Manifest): Read[] {
  if (by.kind === 'TriggerAuthentication')
    // KEDA needs no authorities, unless the servers' certificates are from a private authority.
    return (by.spec.secretTargetRef ?? []).map(({ parameter, name, key }: Part) => ({
      secret: name,
      key,
      optional: parameter === 'ca',
      by,
    }));
  const spec = podOf(by)?.spec;
  if (!spec) return [];
  const containers: Part[] = [...(spec.initParts ?? []), ...spec.containers];
  const whole = (secret: string | undefined, optional = false): Read[] => (secret ? [{ secret, optional, by }] : []);
  return [
    ...containers.flatMap(({ env = [], envFrom = [] }) => [
      ...env.flatMap(({ valueFrom }: Part) => {
        const { name, key, optional = false } = valueFrom?.secretKeyRef ?? {};
        return name ? [{ secret: name, key, optional, by }] : [];
      }),
      ...envFrom.flatMap(({ secretRef }: Part) => whole(secretRef?.name, secretRef?.optional)),
    ]),
    ...(spec.volumes ?? []).flatMap(({ secret }: Part) => whole(secret?.secretName, secret?.optional)),
  ];
}

/** Returns whether settings make an optional key of a Secret necessary. */
export type IsNeeded = (by: Manifest, key: string) => boolean;

/**
 * Returns a fault for each Secret whose name is almost the name of a Secret in the overlay, and for each key that a
 * Secret in the overlay lacks. Also returns a note that lists the Secrets that the overlay lacks, with their keys.
 * `files` are the keys that programs read as files.
 */
export function secretFindings(all: Manifest[], isNeeded: IsNeeded = () => false, files: Read[] = []): Finding[] {
  const findings: Finding[] = [];
  const outside = new Map<string, Set<string>>();
  for (const { secret, key, by, ...read } of [...all.flatMap(readsOf), ...files]) {
    const optional = read.optional && !(key && isNeeded(by, key));
    const names = makers(all, by.metadata.namespace).map(([name]) => name);
    if (!names.includes(secret)) {
      const near = similar(secret, names);
      if (near) findings.push(fault(`${inWords(by)} reads the Secret ${secret}, which no object creates${near}.`));
      else if (!optional) outside.set(secret, new Set([...(outside.get(secret) ?? []), ...(key ? [key] : [])]));
      continue;
    }
    const keys = knownKeys(secret, by.metadata.namespace, all);
    if (key !== undefined && !optional && keys && !keys.has(key))
      findings.push(fault(`${inWords(by)}: the Secret ${secret} has no key ${key}: add it${similar(key, keys)}.`));
  }
  if (outside.size > 0) {
    const each = [...outside].map(([name, keys]) => (keys.size > 0 ? `${name} (${[...keys].join(', ')})` : name));
    findings.push(note(`create ${listed(each)} yourself, because no object here creates these Secrets.`));
  }
  return findings;
}
