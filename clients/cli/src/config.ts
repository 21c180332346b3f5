import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { RecordingRequest } from '@recording-request/client';
import { EXIT, Failure } from './failures.ts';

/** The contents of the configuration file. */
export interface Config {
  baseUrl?: string;
  token?: string;
  /** Signs the events that `rr listen` forwards. */
  webhookSecret?: string;
}

const RETRIES = 4;

const folderOf = (value: string | undefined, fallback: string): string =>
  value && isAbsolute(value) ? value : join(homedir(), fallback);

/** Returns the path of the file with the address and the token. */
export const configPath = (env: NodeJS.ProcessEnv): string =>
  join(folderOf(env.XDG_CONFIG_HOME, '.config'), 'recording-request');

/** Returns the path of a file that keeps unfinished work, such as an upload. */
export const statePath = (env: NodeJS.ProcessEnv, ...names: string[]): string =>
  join(folderOf(env.XDG_STATE_HOME, join('.local', 'state')), 'recording-request', ...names);

/** Returns the stored configuration; empty without a file. Fails if others can read the file. */
export async function readConfig(env: NodeJS.ProcessEnv): Promise<Config> {
  const path = configPath(env);
  const stats = await stat(path).catch(missing);
  if (!stats) return {};
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0)
    throw new Failure(EXIT.local, `Others can read ${path}, which has your token. Run: chmod 600 '${path}'`);
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Config;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Failure(EXIT.local, `${path} is not the JSON that rr login writes. Remove it and run rr login.`);
}

/**
 * Atomically replaces the stored configuration. If its path is a symbolic link, replaces the target, which has the old
 * token.
 */
export async function writeConfig(env: NodeJS.ProcessEnv, config: Config): Promise<void> {
  const path = configPath(env);
  await writePrivate((await realpath(path).catch(missing)) ?? path, `${JSON.stringify(config, null, 2)}\n`);
}

/** Atomically writes a file that only the user can read. */
export async function writePrivate(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, text, 0o600);
}

/** Writes a file under a temporary name, and renames it, so that nobody sees half of it. */
export async function replaceFile(path: string, text: string, mode = 0o666): Promise<void> {
  const made = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(made, 'wx', mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(made, path);
  } catch (error) {
    await rm(made, { force: true });
    throw error;
  }
}

/** Returns the address and the token: from the environment, otherwise from `rr login`. */
export async function credentials(env: NodeJS.ProcessEnv): Promise<{ baseUrl: string; token: string; from: string }> {
  const stored = env.RR_BASE_URL && env.RR_TOKEN ? {} : await readConfig(env);
  const baseUrl = env.RR_BASE_URL || stored.baseUrl;
  const token = env.RR_TOKEN || stored.token;
  if (!baseUrl || !token)
    throw new Failure(
      EXIT.access,
      `There is no ${baseUrl ? 'token' : 'address'}. Run rr login, or set RR_BASE_URL and RR_TOKEN.`,
    );
  // The stored token belongs to the stored address: another server must not get it.
  if (!env.RR_TOKEN && env.RR_BASE_URL && stored.baseUrl && !isSame(env.RR_BASE_URL, stored.baseUrl))
    throw new Failure(
      EXIT.access,
      `RR_BASE_URL is not ${stored.baseUrl}, for which the token was stored. Also set RR_TOKEN, or unset RR_BASE_URL.`,
    );
  return { baseUrl, token, from: env.RR_TOKEN ? 'RR_TOKEN' : configPath(env) };
}

const isSame = (a: string, b: string): boolean => a.replace(/\/+$/, '') === b.replace(/\/+$/, '');

/** Returns a client with the retries of a command line. `onDate` gets the time of each answer, in ms since 1970. */
export const clientOf = (baseUrl: string, token?: string, onDate?: (ms: number) => void): RecordingRequest =>
  new RecordingRequest({
    ...{ baseUrl, token, retries: RETRIES },
    async fetch(...request) {
      const answer = await fetch(...request);
      const at = Date.parse(answer.headers.get('date') ?? '');
      if (!Number.isNaN(at)) onDate?.(at);
      return answer;
    },
  });

/** Returns the secret for forwarded events: RR_WEBHOOK_SECRET, or one that is made once and stored. */
export async function webhookSecret(env: NodeJS.ProcessEnv): Promise<string> {
  if (env.RR_WEBHOOK_SECRET) return env.RR_WEBHOOK_SECRET;
  const config = await readConfig(env);
  if (config.webhookSecret) return config.webhookSecret;
  const made = `whsec_${randomBytes(32).toString('base64')}`;
  await writeConfig(env, { ...config, webhookSecret: made });
  return made;
}

export function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
