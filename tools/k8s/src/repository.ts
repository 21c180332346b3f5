import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const BASE = join(ROOT, 'deploy/k8s/base');
export const OPERATORS = join(ROOT, 'deploy/k8s/overlays/operators');
export const PRODUCTION = join(ROOT, 'deploy/k8s/overlays/production');
export const LOCAL = join(ROOT, 'deploy/k8s/overlays/local');
export const LOCAL_VERSITY = join(ROOT, 'deploy/k8s/overlays/local-versity');

/** Returns the names of the services, which are also the names of their folders. */
export async function serviceNames(): Promise<string[]> {
  const entries = await readdir(join(ROOT, 'services'), { withFileTypes: true });
  return entries.filter(entry => entry.isDirectory()).map(entry => entry.name);
}

/** Reads an environment with the service's own readConfig. Throws its ConfigError, which names every faulty variable. */
export async function readConfigOf(service: string, env: Record<string, string>): Promise<Record<string, unknown>> {
  const module = await import(pathToFileURL(join(ROOT, 'services', service, 'src/config.ts')).href);
  return module.readConfig(env);
}

/** Returns the names of all variables that a service's configuration reads. */
export async function variablesOf(service: string): Promise<Set<string>> {
  const read = new Set<string>();
  const env = new Proxy<Record<string, string>>({}, { get: (_, name) => void read.add(String(name)) });
  await readConfigOf(service, env).catch((error: Error) => {
    if (error.name !== 'ConfigError') throw error;
  });
  return read;
}

/** Returns the lines NAME=value of a file, without comments. */
export async function readEnvFile(file: string): Promise<Record<string, string>> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter(line => /^[A-Z]/.test(line));
  return Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const),
  );
}
