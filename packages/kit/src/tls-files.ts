import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { lookedAt, readFile } from './secret-file.ts';
import type { Variable } from './variable.ts';

/** The PEM files for connections to a server. An unused file is ''. */
export interface TlsFiles {
  /** The trusted authorities, instead of Node's own. */
  ca: string;
  cert?: string;
  key?: string;
}

/** The path of a PEM file with certificates; '' when the variable is not set. The content is checked. */
export function certificateFile(
  name: string,
  description: string,
  misplaced: Misplaced = () => undefined,
): Variable<string> {
  return fileVariable(name, description, misplaced, file => {
    const blocks = certificatesIn(readFile(file));
    if (blocks.length === 0) throw new Error(`names ${file}, which has no PEM certificate`);
    for (const block of blocks) {
      const found = attempt(`names ${file}, which has a damaged certificate`, () => new X509Certificate(block));
      if (Date.parse(found.validTo) <= Date.now() && blocks.length === 1)
        throw new Error(`names ${file}, whose certificate expired on ${found.validTo}`);
    }
  });
}

/**
 * The path of a PEM file with a key; '' when the variable is not set. The variable `certificate` names the
 * certificate's file.
 */
export function keyFile(
  name: string,
  description: string,
  certificate: string,
  misplaced: Misplaced = () => undefined,
): Variable<string> {
  const variable = fileVariable(name, description, misplaced, (file, env) => {
    const key = attempt(`names ${file}, which has no PEM key without a passphrase`, () =>
      createPrivateKey(readFile(file)),
    );
    const [own] = certificatesIn(readFile(env[certificate] ?? ''));
    if (own === undefined || !new X509Certificate(own).checkPrivateKey(key))
      throw new Error(`names ${file}, which has not the key of the certificate in ${certificate}`);
  });
  return {
    ...variable,
    parse(file, env) {
      if (!file !== !env[certificate]) throw new Error(`and ${certificate} belong together: set both or none`);
      return variable.parse(file, env);
    },
  };
}

/** Returns the reason why this variable must not be set; undefined if it may be set. */
export type Misplaced = (env: NodeJS.ProcessEnv) => string | undefined;

function fileVariable(
  name: string,
  description: string,
  misplaced: Misplaced,
  check: (file: string, env: NodeJS.ProcessEnv) => void,
): Variable<string> {
  return {
    name,
    description,
    expected: 'the path of a PEM file',
    required: false,
    parse(file, env) {
      if (file === undefined) return '';
      const fault = misplaced(env);
      if (fault) throw new Error(fault);
      check(file, env);
      return file;
    },
  };
}

/** Returns the TLS options of new connections. Reads changed files again, and keeps the old content while a file is unusable. */
export function tlsContext(files: TlsFiles): () => SecureContext {
  let kept: Array<Buffer | undefined> = [];
  let context: SecureContext | undefined;
  return lookedAt(() => {
    const found = [files.ca, files.cert, files.key].map(file => (file ? readFile(file) : undefined));
    if (context && found.every((bytes, at) => !bytes || bytes.equals(kept[at]!))) return context;
    const [ca, cert, key] = found;
    // OpenSSL uses the readable part of a truncated file, and trusts no authority if that part is empty.
    for (const pem of [ca, cert]) if (pem && !isWhole(pem)) throw new Error('a file of certificates is not whole');
    context = createSecureContext({ ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) });
    kept = found;
    return context;
  });
}

const UNTRUSTED =
  /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER_CERT(_LOCALLY)?|VERIFY_LEAF_SIGNATURE)|CERT_UNTRUSTED|CERT_SIGNATURE_FAILURE|INVALID_CA)$/;
const REFUSED = /^ERR_SSL_.+_ALERT_(BAD_CERTIFICATE|CERTIFICATE_\w+|UNKNOWN_CA|ACCESS_DENIED)$/;

/**
 * Returns one sentence that explains why TLS with `server` fails until somebody changes the configuration; undefined if
 * the error has another cause. `ca` is the variable that names the file of authorities.
 */
export function tlsFault(error: unknown, server: string, ca: string): string | undefined {
  for (const each of causes(error)) {
    const { code } = each as { code?: unknown };
    if (typeof code !== 'string') continue;
    if (UNTRUSTED.test(code)) return `The certificate of ${server} was not issued by an authority in ${ca} (${code}).`;
    if (code === 'CERT_HAS_EXPIRED') return `The certificate of ${server} has expired: replace it.`;
    if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
      return `The certificate of ${server} is not for the name by which it is called: use a name that is in it.`;
    if (REFUSED.test(code)) return `${server} refuses the certificate of this service, or asks for one (${code}).`;
  }
  return undefined;
}

/** Yields an error and all its causes, each once. Knows the ways in which drivers attach causes. */
export function* causes(error: unknown): Generator<object> {
  const seen = new Set<object>();
  const open = [error];
  while (open.length > 0) {
    const each = open.shift();
    if (typeof each !== 'object' || each === null || seen.has(each)) continue;
    seen.add(each);
    yield each;
    const { cause, originalError, errors, reason, servers, error: inner } = each as Record<string, unknown>;
    open.push(cause, originalError, inner, ...(Array.isArray(errors) ? errors : []));
    // MongoDB's error describes each server, with the server's own error.
    if (reason) open.push(reason);
    if (servers instanceof Map) open.push(...servers.values());
  }
}

const BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
/** Returns whether PEM has certificates, and no certificate is truncated or damaged. */
export function isWhole(pem: Buffer): boolean {
  const blocks = certificatesIn(pem);
  const begun = pem.toString('latin1').split('-----BEGIN CERTIFICATE-----').length - 1;
  if (blocks.length === 0 || blocks.length !== begun) return false;
  return blocks.every(block => {
    try {
      return new X509Certificate(block).raw.length > 0;
    } catch {
      return false;
    }
  });
}

const certificatesIn = (pem: Buffer): string[] => pem.toString('latin1').match(BLOCK) ?? [];

function attempt<T>(sentence: string, work: () => T): T {
  try {
    return work();
  } catch {
    throw new Error(sentence);
  }
}
