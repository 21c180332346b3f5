import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';

export interface ComposeService {
  image: string;
  command: string[];
  /** A duration such as `45s`. */
  stop_grace_period: string;
  environment: Record<string, string>;
  /** The profiles. Compose starts a service with profiles only on request. */
  profiles?: string[];
}

/**
 * Returns the services of a compose file that always run this repository's image. Takes the values of variables from
 * `env`. Throws when a required variable is not set.
 */
export async function readCompose(file: string, env: Record<string, string>): Promise<Record<string, ComposeService>> {
  const document = parse(await readFile(file, 'utf8'), { merge: true });
  const services = Object.entries(document.services as Record<string, ComposeService>)
    .filter(([, { image, profiles }]) => image.startsWith('recording-request') && profiles === undefined)
    .map(([name, service]) => [name, { ...service, environment: filled(service.environment, env) }]);
  return Object.fromEntries(services);
}

function filled(environment: Record<string, unknown>, env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, interpolate(String(value), env)]),
  );
}

// Implements the part of Compose's interpolation that the file uses: a default, and a required variable.
function interpolate(text: string, env: Record<string, string>): string {
  return text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name: string, mark: string, words: string) => {
    const value = env[name];
    if (value) return value;
    if (mark === '?') throw new Error(`${name} is not set: ${words}`);
    return words;
  });
}
