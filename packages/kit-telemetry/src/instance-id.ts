import { randomBytes } from 'node:crypto';

const POD = /(?:^|,)\s*k8s\.pod\.name\s*=\s*([^,]+)/;

/**
 * Returns the `service.instance.id` of this process: the name of its pod from K8S_POD_NAME or OTEL_RESOURCE_ATTRIBUTES,
 * otherwise its process id and a random word. A `service.instance.id` in OTEL_RESOURCE_ATTRIBUTES overrides it.
 */
export function instanceId(env: NodeJS.ProcessEnv): string {
  const [, pod] = POD.exec(env.OTEL_RESOURCE_ATTRIBUTES ?? '') ?? [];
  return env.K8S_POD_NAME || pod?.trim() || `${process.pid}-${randomBytes(4).toString('hex')}`;
}
