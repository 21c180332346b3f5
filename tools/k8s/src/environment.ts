import type { Manifest } from './manifests.ts';

interface KeyReference {
  name: string;
  key: string;
  optional?: boolean;
}

/**
 * Returns the environment of a Deployment's container, with ConfigMaps and Secrets from `all`. Throws when it refers to a missing
 * object or key.
 */
export function environmentOf(deployment: Manifest, all: Manifest[]): Record<string, string> {
  const [container] = deployment.spec.template.spec.containers;
  const env: Record<string, string> = {};
  for (const source of container.envFrom ?? []) {
    const kind = source.configMapRef ? 'ConfigMap' : 'Secret';
    const values = valuesOf(all, kind, (source.configMapRef ?? source.secretRef).name, deployment);
    for (const [name, value] of Object.entries(values)) env[`${source.prefix ?? ''}${name}`] = value;
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    if (value !== undefined) env[name] = value;
    else if (valueFrom?.secretKeyRef) env[name] = lookUp(all, 'Secret', valueFrom.secretKeyRef, deployment);
    else if (valueFrom?.configMapKeyRef) env[name] = lookUp(all, 'ConfigMap', valueFrom.configMapKeyRef, deployment);
  }
  return env;
}

function lookUp(all: Manifest[], kind: string, reference: KeyReference, deployment: Manifest): string {
  const value = valuesOf(all, kind, reference.name, deployment)[reference.key];
  if (value === undefined)
    throw new Error(`${deployment.metadata.name}: ${kind} ${reference.name} has no ${reference.key}`);
  return value;
}

function valuesOf(all: Manifest[], kind: string, name: string, deployment: Manifest): Record<string, string> {
  const found = all.find(
    object =>
      object.kind === kind &&
      object.metadata.name === name &&
      object.metadata.namespace === deployment.metadata.namespace,
  );
  if (!found) throw new Error(`${deployment.metadata.name}: there is no ${kind} ${name}`);
  if (kind === 'ConfigMap') return found.data ?? {};
  const decoded = Object.entries(found.data ?? {}).map(([key, value]) => [
    key,
    Buffer.from(String(value), 'base64').toString(),
  ]);
  return { ...Object.fromEntries(decoded), ...found.stringData };
}
