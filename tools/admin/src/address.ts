import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

/** Where the projects service is not to be found; the message says what to do. */
export class NoAddress extends Error {}

const ROOT = resolve(import.meta.dirname, '../../..');

/** PROJECTS_GRPC, or else what a running `npm start` wrote. */
export async function projectsAddress(env: NodeJS.ProcessEnv, root = ROOT): Promise<string> {
  if (env.PROJECTS_GRPC) return env.PROJECTS_GRPC;
  const nowhere = 'No running service is known: start one with "npm start", or set PROJECTS_GRPC to its host:port.';
  const text = await readFile(resolve(root, '.stack/ready.json'), 'utf8').catch(() => {
    throw new NoAddress(nowhere);
  });
  const address = grpcIn(text);
  if (!address) throw new NoAddress(nowhere);
  return address;
}

function grpcIn(text: string): string | undefined {
  try {
    return JSON.parse(text)?.services?.projects?.grpc;
  } catch {
    return undefined;
  }
}
