import { randomBytes } from 'node:crypto';

const POD = /(?:^|,)\s*k8s\.pod\.name\s*=\s*([^,]+)/;

/**
 * Returns what tells this process from others of its service: the name of its pod, where K8S_POD_NAME or OTEL_RESOURCE_ATTRIBUTES has it; else its
 * process id and a random word. A `service.instance.id` that the variable has goes before it.
 */
export function instanceId(env: NodeJS.ProcessEnv): string {
  const [, pod] = POD.exec(env.OTEL_RESOURCE_ATTRIBUTES ?? '') ?? [];
  return env.K8S_POD_NAME || pod?.trim() || `${process.pid}-${randomBytes(4).toString('hex')}`;
}
