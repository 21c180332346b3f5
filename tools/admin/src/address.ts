import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { loadConfig, target, type Variable } from '@recording-request/kit/config';

/** The address of a service is unknown; the message says what to do. */
export class NoAddress extends Error {}

/** The default data folder of `npm start`, relative to the project's folder. */
export const DATA = resolve(import.meta.dirname, '../../../.stack');

const READY = 'ready.json';

const addressOf = (name: string, description: string): Variable<string> => ({
  ...target(name, description),
  unset: 'the address in a running `npm start`',
});
const ADDRESSES = {
  projects: addressOf('PROJECTS_OPERATOR', "the address of the operator's API of projects"),
  submissions: addressOf('SUBMISSIONS_OPERATOR', 'the same for submissions'),
  webhooks: addressOf('WEBHOOKS_OPERATOR', 'the same for webhooks; set all three, or none'),
};
export type ServiceName = keyof typeof ADDRESSES;

const isAnySet = (env: NodeJS.ProcessEnv): boolean => Object.values(ADDRESSES).some(({ name }) => env[name]);

/** The address of a service's operator API, and the variables with the certificate for calls to this API. */
export interface OperatorTarget {
  address: string;
  certificate: NodeJS.ProcessEnv;
}

/**
 * Returns the value of a service's variable, or the address that a running `npm start` wrote to its data folder. If one
 * of these variables is set, all of them must be set, because an erasure must never reach two systems.
 */
export async function operatorTargetOf(
  service: ServiceName,
  env: NodeJS.ProcessEnv,
  dataDir = DATA,
): Promise<OperatorTarget> {
  const { name: variable } = ADDRESSES[service];
  const given = env[variable];
  if (given) return { address: given, certificate: env };
  if (isAnySet(env)) throw new NoAddress(`Set ${variable} too, to its host:port.`);
  const nowhere = `No running service is known: start one with "npm start" (--data names its folder if it is not the default), or set ${variable} to its host:port.`;
  const text = await readFile(join(dataDir, READY), 'utf8').catch(() => {
    throw new NoAddress(nowhere);
  });
  const { services, operator } = parsed(text);
  const address = services?.[service]?.operator;
  if (!address) throw new NoAddress(nowhere);
  return { address, certificate: operator ?? {} };
}

const STORES = ['MONGO_URL', 'KAFKA_BROKERS', 'S3_ENDPOINT'];

/** Returns whether the address of MongoDB, Kafka or the object store is set. */
export const isAnyNamed = (env: NodeJS.ProcessEnv): boolean => STORES.some(name => env[name] || env[`${name}_FILE`]);

/**
 * Returns `env` with the variables of MongoDB, Kafka and the object store. If one of their addresses is set, returns
 * `env` unchanged; otherwise, adds the variables of a running `npm start`. Names and prefixes in `env` override those
 * of `npm start`.
 */
export async function storesOf(env: NodeJS.ProcessEnv, dataDir = DATA): Promise<NodeJS.ProcessEnv> {
  if (isAnyNamed(env)) return env;
  const text = await readFile(join(dataDir, READY), 'utf8').catch(() => '{}');
  const set = Object.entries(env).filter(([, value]) => value !== undefined && value !== '');
  return { ...parsed(text).stores, ...Object.fromEntries(set) };
}

const TRACE_ID = '{traceId}';

const TRACE_URL: Variable<string | undefined> = {
  name: 'TRACE_URL',
  description: 'the URL of a trace’s page, such as `https://traces.example.com/trace/{traceId}`',
  expected: `an absolute http or https address with ${TRACE_ID} in it`,
  unset: 'the trace store of a running `npm observe`',
  required: false,
  parse(value) {
    if (value === undefined) return value;
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (!value.includes(TRACE_ID) || !url || !/^https?:$/.test(url.protocol))
      throw new Error(`must be ${TRACE_URL.expected}`);
    return value;
  },
};

/** The variables that only this tool reads. */
export const variables = { ...ADDRESSES, traceUrl: TRACE_URL };

/**
 * Returns the URL template of a trace, which contains `{traceId}`. The template is TRACE_URL or, if the command uses a
 * running `npm start`, the template of the trace store that runs with it. Returns undefined if there is neither. Fails
 * with a ConfigError when TRACE_URL has another form.
 */
export async function traceUrlOf(env: NodeJS.ProcessEnv, dataDir = DATA): Promise<string | undefined> {
  const { traceUrl: given } = loadConfig(env, { traceUrl: TRACE_URL });
  if (given || isAnySet(env)) return given;
  const { traceUrl } = parsed(await readFile(join(dataDir, READY), 'utf8').catch(() => '{}'));
  return traceUrl?.includes(TRACE_ID) ? traceUrl : undefined;
}

/** Returns the URL of the trace `traceId`. */
export const traceAddress = (template: string, traceId: string): string => template.replaceAll(TRACE_ID, traceId);

interface ReadyFile {
  services?: Record<string, { operator?: string }>;
  operator?: NodeJS.ProcessEnv;
  stores?: NodeJS.ProcessEnv;
  /** The URL template of traces. Present while a trace store runs with the services. */
  traceUrl?: string;
}

function parsed(text: string): ReadyFile {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
