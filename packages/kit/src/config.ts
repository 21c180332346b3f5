import { PLAINTEXT_MODES } from './internal/modes.ts';
import { readSecret, renewedSecret, type Secret } from './secret-file.ts';
import type { Variable } from './variable.ts';

export type { Variable };

export type Values<S> = { [K in keyof S]: S[K] extends Variable<infer T> ? T : never };

/** Every fault of a configuration at once, by variable name; never a value, which may be a secret. */
export class ConfigError extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    // One fault is one line: it may be all that is left of a log.
    const listed = faults.length === 1 ? ` ${faults[0]}` : faults.map(fault => `\n  - ${fault}`).join('');
    super(`The configuration is not usable:${listed}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** What the configuration leads to cannot be used until somebody changes it: one sentence. */
export class StartError extends ConfigError {
  constructor(sentence: string) {
    super([sentence]);
    this.message = sentence;
    this.name = 'StartError';
  }
}

/** Reads `spec` from `env`. An empty variable counts as absent; a malformed one is refused, never defaulted. */
export function loadConfig<S extends Record<string, Variable<unknown>>>(env: NodeJS.ProcessEnv, spec: S): Values<S> {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, variable] of Object.entries(spec)) {
    const text = env[variable.name] === '' ? undefined : env[variable.name];
    if (text === undefined && variable.required) {
      faults.push(`${variable.name} is not set`);
      continue;
    }
    try {
      values[key] = variable.parse(text, env);
    } catch (error) {
      faults.push(`${variable.name} ${(error as Error).message}`);
    }
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return values as Values<S>;
}

function variable<T>(name: string, fallback: T | undefined, parse: (text: string) => T): Variable<T> {
  const required = fallback === undefined;
  return { name, required, parse: text => (text === undefined ? (fallback as T) : parse(text)) };
}

export function text(
  name: string,
  options: { default?: string; pattern?: RegExp; describe?: string } = {},
): Variable<string> {
  return variable(name, options.default, value => {
    if (options.pattern && !options.pattern.test(value))
      throw new Error(`must be ${options.describe ?? `like ${options.pattern.source}`}`);
    return value;
  });
}

/** A secret: the variable's value, or what is in the file that `<name>_FILE` names. Read once. */
export function secretText(name: string, options: Parameters<typeof text>[1] = {}): Variable<string> {
  return ofSecret(name, options.default, (value, file, env) =>
    text(name, options).parse(value ?? readSecret(file!, `${name}_FILE`), env),
  );
}

/** A secret: the variable's value, or what is in the file that `<name>_FILE` names at each use. */
export function secret(name: string, options: { default?: string } = {}): Variable<Secret> {
  return ofSecret(name, options.default, (value, file) =>
    value === undefined ? renewedSecret(file!, `${name}_FILE`) : () => value,
  );
}

function ofSecret<T>(
  name: string,
  fallback: string | undefined,
  read: (value: string | undefined, file: string | undefined, env: NodeJS.ProcessEnv) => T,
): Variable<T> {
  const byFile = `${name}_FILE`;
  return {
    name,
    required: false,
    parse(value, env) {
      const file = env[byFile] || undefined;
      if (value !== undefined && file !== undefined) throw new Error(`and ${byFile} are both set: unset one`);
      if (file === undefined && (value ?? fallback) === undefined) throw new Error('is not set');
      return read(value ?? (file === undefined ? fallback : undefined), file, env);
    },
  };
}

export function optionalText(name: string): Variable<string | undefined> {
  return { name, required: false, parse: value => value };
}

export function integer(
  name: string,
  options: { default?: number; min?: number; max?: number } = {},
): Variable<number> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = options;
  return variable(name, options.default, value => {
    const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max)) throw new Error(`must be a whole number from ${min} to ${max}`);
    return number;
  });
}

export function flag(name: string, options: { default?: boolean } = {}): Variable<boolean> {
  return variable(name, options.default ?? false, value => {
    if (value !== 'true' && value !== 'false') throw new Error('must be true or false');
    return value === 'true';
  });
}

/** One of a few words. */
export function oneOf<const T extends string>(name: string, values: readonly T[], fallback: T): Variable<T> {
  return variable(name, fallback, value => {
    const found = values.find(each => each === value);
    if (found === undefined) throw new Error(`must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`);
    return found;
  });
}

/** The path of a PEM file; without INTERNAL_PLAINTEXT=true it must be set. */
function tlsFile(name: string): Variable<string> {
  return {
    name,
    required: false,
    parse(value, env) {
      if (value === undefined && env.INTERNAL_PLAINTEXT !== 'true') throw new Error('is not set');
      return value ?? '';
    },
  };
}

/** A list of texts, separated by commas, each of them like `item`. */
export function list(
  name: string,
  options: { default?: string[]; item?: { pattern: RegExp; describe: string } } = {},
): Variable<string[]> {
  return variable(name, options.default, value => {
    const items = value
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== '');
    if (items.length === 0) throw new Error('must name at least one item, separated by commas');
    if (items.some(item => options.item?.pattern.test(item) === false))
      throw new Error(`must be ${options.item?.describe}, several separated by commas`);
    return items;
  });
}

/** An absolute http(s) URL; its value has no trailing slash. */
export function url(name: string, options: { default?: string } = {}): Variable<string> {
  return variable(name, options.default, value => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined;
    if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new Error('must be an absolute http or https address');
    return value.replace(/\/+$/, '');
  });
}

const hostAndPort = { pattern: /^\S+:\d{1,5}$/, describe: 'host:port' };

export const listen = (name: string, fallback: string): Variable<string> =>
  variable(name, fallback, value => {
    if (!hostAndPort.pattern.test(value) || splitListen(value).port > 65_535) throw new Error('must be host:port');
    return value;
  });

/** The two parts of a `listen` value; an IPv6 host comes without its brackets. */
export function splitListen(listen: string): { host: string; port: number } {
  const colon = listen.lastIndexOf(':');
  return { host: listen.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(listen.slice(colon + 1)) };
}

/** Where a peer serves gRPC: `host:port`, or a target with a scheme such as `dns:///projects:50051`. */
export const target = (name: string): Variable<string> => text(name, hostAndPort);

/** Of every service. */
export const processVariables = {
  logLevel: text('LOG_LEVEL', {
    default: 'info',
    pattern: /^(trace|debug|info|warn|error|fatal|silent)$/,
    describe: 'trace, debug, info, warn, error, fatal or silent',
  }),
  /** How long a stop may take. After that the process ends at once. */
  stopGraceSeconds: integer('STOP_GRACE_SECONDS', { default: 25, min: 5, max: 7_200 }),
};
/** Where grpc.health.v1 answers, in plaintext: who asks has no certificate. */
export const healthVariables = { healthListen: listen('HEALTH_LISTEN', '0.0.0.0:50053') };
/** How services know each other. */
export const internalVariables = {
  internalPlaintext: oneOf('INTERNAL_PLAINTEXT', PLAINTEXT_MODES, 'false'),
  tlsCertFile: tlsFile('TLS_CERT_FILE'),
  tlsKeyFile: tlsFile('TLS_KEY_FILE'),
  tlsCaFile: tlsFile('TLS_CA_FILE'),
};
/** Of a service that other services call. */
export const grpcVariables = { grpcListen: listen('GRPC_LISTEN', '0.0.0.0:50051') };
/** Of a service that the operator calls. */
export const operatorVariables = { operatorListen: listen('OPERATOR_LISTEN', '0.0.0.0:50052') };
