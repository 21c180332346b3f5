import { readSecret, renewedSecret, type Secret } from './secret-file.ts';
import type { Variable } from './variable.ts';

export type { Variable };

export type Values<S> = { [K in keyof S]: S[K] extends Variable<infer T> ? T : never };

/**
 * An error that names every fault of a configuration at once, by variable name. It contains no values, because a value
 * may be a secret.
 */
export class ConfigError extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    // Writes a single fault on one line, because a log viewer may show only the last line.
    const listed = faults.length === 1 ? ` ${faults[0]}` : faults.map(fault => `\n  - ${fault}`).join('');
    super(`The configuration is not usable:${listed}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** A fault that lasts until somebody changes the configuration or a server. The message is one sentence. */
export class StartError extends ConfigError {
  constructor(sentence: string) {
    super([sentence]);
    this.message = sentence;
    this.name = 'StartError';
  }
}

/**
 * Reads `spec` from `env`. An empty variable counts as absent. A malformed variable is refused; it never gets its
 * default.
 */
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

interface Options<T> {
  default?: T;
  unset?: string;
}

/** `parse` returns undefined for an invalid value. */
function variable<T>(
  declared: Pick<Variable<T>, 'name' | 'description' | 'expected'>,
  { default: fallback, unset }: Options<T>,
  parse: (text: string) => T | undefined,
): Variable<T> {
  return {
    ...declared,
    ...(unset && { unset }),
    required: fallback === undefined,
    parse(text) {
      const value = text === undefined ? fallback : parse(text);
      if (value === undefined) throw new Error(`must be ${declared.expected}`);
      return value;
    },
  };
}

/** A text. With a `pattern`, `expected` describes it in words that follow `must be`. */
export function text(
  name: string,
  description: string,
  options: Options<string> & ({ pattern?: never; expected?: string } | { pattern: RegExp; expected: string }) = {},
): Variable<string> {
  const { pattern, expected = 'text' } = options;
  return variable({ name, description, expected }, options, value =>
    pattern?.test(value) === false ? undefined : value,
  );
}

/** A secret: the variable's value, or the content of the file that `<name>_FILE` names. The file is read once. */
export function secretText(
  name: string,
  description: string,
  options: Parameters<typeof text>[2] = {},
): Variable<string> {
  const plain = text(name, description, options);
  const isOptional = options.default !== undefined;
  return ofSecret(plain, options.default, (value, file, env) =>
    plain.parse(value ?? readSecret(file!, `${name}_FILE`, isOptional), env),
  );
}

/**
 * A secret: the variable's value, or the content of the file that `<name>_FILE` names. The file is read at each use.
 */
export function secret(
  name: string,
  description: string,
  options: Options<string> & { expected?: string } = {},
): Variable<Secret> {
  const isOptional = options.default !== undefined;
  return ofSecret(text(name, description, options), options.default, (value, file) =>
    value === undefined ? renewedSecret(file!, `${name}_FILE`, isOptional) : () => value,
  );
}

function ofSecret<T>(
  plain: Variable<string>,
  fallback: string | undefined,
  read: (value: string | undefined, file: string | undefined, env: NodeJS.ProcessEnv) => T,
): Variable<T> {
  const byFile = `${plain.name}_FILE`;
  return {
    ...plain,
    isSecret: true,
    required: false,
    parse(value, env) {
      const file = env[byFile] || undefined;
      if (value !== undefined && file !== undefined) throw new Error(`and ${byFile} are both set: unset one`);
      if (file === undefined && (value ?? fallback) === undefined) throw new Error('is not set');
      return read(value ?? (file === undefined ? fallback : undefined), file, env);
    },
  };
}

export function optionalText(name: string, description: string): Variable<string | undefined> {
  return { name, description, expected: 'text', required: false, parse: value => value };
}

export function integer(
  name: string,
  description: string,
  options: Options<number> & { min?: number; max?: number } = {},
): Variable<number> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = options;
  const to = max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`;
  return variable({ name, description, expected: `a whole number from ${min}${to}` }, options, value => {
    const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  });
}

/** A boolean. It is false while the variable is not set. */
export function flag(name: string, description: string): Variable<boolean> {
  return variable({ name, description, expected: 'true or false' }, { default: false }, value =>
    value === 'true' || value === 'false' ? value === 'true' : undefined,
  );
}

/** One of a few words. */
export function oneOf<const T extends string>(
  name: string,
  description: string,
  values: readonly T[],
  fallback: T,
): Variable<T> {
  const expected = `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
  return variable({ name, description, expected }, { default: fallback }, value => values.find(each => each === value));
}

/** A list of texts, separated by commas, each valid for `item`. */
export function list(
  name: string,
  description: string,
  options: Options<string[]> & { item?: { pattern: RegExp; expected: string } } = {},
): Variable<string[]> {
  const { pattern, expected = 'text' } = options.item ?? {};
  return variable({ name, description, expected: `${expected}, several separated by commas` }, options, value => {
    const items = value
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== '');
    return items.length > 0 && items.every(item => pattern?.test(item) !== false) ? items : undefined;
  });
}

/** An absolute http(s) URL; its value has no trailing slash. */
export function url(name: string, description: string, options: Options<string> = {}): Variable<string> {
  return variable({ name, description, expected: 'an absolute http or https address' }, options, value => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined;
    return parsed && /^https?:$/.test(parsed.protocol) ? value.replace(/\/+$/, '') : undefined;
  });
}

const HOST_AND_PORT = /^\S+:\d{1,5}$/;

export const listen = (name: string, description: string, fallback: string): Variable<string> =>
  variable({ name, description, expected: 'host:port' }, { default: fallback }, value =>
    HOST_AND_PORT.test(value) && splitListen(value).port <= 65_535 ? value : undefined,
  );

/** Returns the host and the port of a `listen` value, an IPv6 host without its brackets. */
export function splitListen(listen: string): { host: string; port: number } {
  const colon = listen.lastIndexOf(':');
  return { host: listen.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(listen.slice(colon + 1)) };
}

/** The address of a peer's gRPC server. */
export const target = (name: string, description: string): Variable<string> =>
  text(name, description, { pattern: HOST_AND_PORT, expected: 'host:port, also after a scheme such as dns:///' });
