import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

/** Where a service is not to be found; the message says what to do. */
export class NoAddress extends Error {}

const ROOT = resolve(import.meta.dirname, '../../..');

const VARIABLES = { projects: 'PROJECTS_GRPC', submissions: 'SUBMISSIONS_GRPC', webhooks: 'WEBHOOKS_GRPC' } as const;
export type ServiceName = keyof typeof VARIABLES;

/**
 * A service's variable, or else what a running `npm start` wrote. Where one of the variables is set the others must be:
 * a command that erases must never go to two systems.
 */
export async function addressOf(service: ServiceName, env: NodeJS.ProcessEnv, root = ROOT): Promise<string> {
  const variable = VARIABLES[service];
  const given = env[variable];
  if (given) return given;
  if (Object.values(VARIABLES).some(name => env[name])) throw new NoAddress(`Set ${variable} too, to its host:port.`);
  const nowhere = `No running service is known: start one with "npm start", or set ${variable} to its host:port.`;
  const text = await readFile(resolve(root, '.stack/ready.json'), 'utf8').catch(() => {
    throw new NoAddress(nowhere);
  });
  const address = grpcIn(text, service);
  if (!address) throw new NoAddress(nowhere);
  return address;
}

function grpcIn(text: string, service: ServiceName): string | undefined {
  try {
    return JSON.parse(text)?.services?.[service]?.grpc;
  } catch {
    return undefined;
  }
}
