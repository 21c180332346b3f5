import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { loadConfig, target, type Variable } from '@recording-request/kit/config';

/** Where a service is not to be found; the message says what to do. */
export class NoAddress extends Error {}

/** Where `npm start` keeps its data unless it is told otherwise, which is named from the folder of the project. */
export const DATA = resolve(import.meta.dirname, '../../../.stack');

const READY = 'ready.json';

const addressOf = (name: string, description: string): Variable<string> => ({
  ...target(name, description),
  unset: 'that of a running `npm start`',
});
const ADDRESSES = {
  projects: addressOf('PROJECTS_OPERATOR', "where projects takes the operator's calls"),
  submissions: addressOf('SUBMISSIONS_OPERATOR', 'the same of submissions'),
  webhooks: addressOf('WEBHOOKS_OPERATOR', 'the same of webhooks; set all three, or none'),
};
export type ServiceName = keyof typeof ADDRESSES;

const isAnySet = (env: NodeJS.ProcessEnv): boolean => Object.values(ADDRESSES).some(({ name }) => env[name]);

/** Where a service takes the operator's calls, and the variables of the certificate to call it with. */
export interface Door {
  address: string;
  certificate: NodeJS.ProcessEnv;
}

/**
 * A service's variable, or else what a running `npm start` wrote in its folder of data. Where one of the variables is set the others must be:
 * a command that erases must never go to two systems.
 */
export async function doorOf(service: ServiceName, env: NodeJS.ProcessEnv, dataDir = DATA): Promise<Door> {
  const { name: variable } = ADDRESSES[service];
  const given = env[variable];
  if (given) return { address: given, certificate: env };
  if (isAnySet(env)) throw new NoAddress(`Set ${variable} too, to its host:port.`);
  const nowhere = `No running service is known: start one with "npm start" (--data names its folder where that is another), or set ${variable} to its host:port.`;
  const text = await readFile(join(dataDir, READY), 'utf8').catch(() => {
    throw new NoAddress(nowhere);
  });
  const { services, operator } = parsed(text);
  const address = services?.[service]?.operator;
  if (!address) throw new NoAddress(nowhere);
  return { address, certificate: operator ?? {} };
}

const STORES = ['MONGO_URL', 'KAFKA_BROKERS', 'S3_ENDPOINT'];

/** Whether the address of MongoDB, Kafka or the object store is set. */
export const isAnyNamed = (env: NodeJS.ProcessEnv): boolean => STORES.some(name => env[name] || env[`${name}_FILE`]);

/**
 * Returns `env` with the variables of MongoDB, Kafka and the object store: as they are once the address of one of them is set, or
 * else with those of a running `npm start`, over which a name or prefix that is set still holds.
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
  description: 'where a person looks at a trace, such as `https://traces.example.com/trace/{traceId}`',
  expected: `an absolute http or https address with ${TRACE_ID} in it`,
  unset: 'that of what runs beside `npm start`',
  required: false,
  parse(value) {
    if (value === undefined) return value;
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (!value.includes(TRACE_ID) || !url || !/^https?:$/.test(url.protocol))
      throw new Error(`must be ${TRACE_URL.expected}`);
    return value;
  },
};

/** Every variable that is the tool's alone. */
export const variables = { ...ADDRESSES, traceUrl: TRACE_URL };

/**
 * Returns where a person looks at a trace, with `{traceId}` in it: TRACE_URL, or what runs beside a running `npm start` whose
 * services the command goes to. Undefined where there is none. Fails with a ConfigError where TRACE_URL is no such address.
 */
export async function traceUrlOf(env: NodeJS.ProcessEnv, dataDir = DATA): Promise<string | undefined> {
  const { traceUrl: given } = loadConfig(env, { traceUrl: TRACE_URL });
  if (given || isAnySet(env)) return given;
  const { traceUrl } = parsed(await readFile(join(dataDir, READY), 'utf8').catch(() => '{}'));
  return traceUrl?.includes(TRACE_ID) ? traceUrl : undefined;
}

/** Returns where the trace `traceId` is looked at. */
export const traceAddress = (template: string, traceId: string): string => template.replaceAll(TRACE_ID, traceId);

interface ReadyFile {
  services?: Record<string, { operator?: string }>;
  operator?: NodeJS.ProcessEnv;
  stores?: NodeJS.ProcessEnv;
  /** Written where a trace store runs beside the services. */
  traceUrl?: string;
}

function parsed(text: string): ReadyFile {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
