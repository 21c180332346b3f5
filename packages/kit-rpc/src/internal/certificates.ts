import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { experimental } from '@grpc/grpc-js';
import { ConfigError } from '@recording-request/kit/config';
import type { Logger } from '@recording-request/kit/log';
import { namesIn, uriOf } from './names.ts';

export interface CertificateFiles {
  tlsCertFile: string;
  tlsKeyFile: string;
  tlsCaFile: string;
}

/** A certificate with its chain, its key, and the trusted authorities; all PEM. */
export interface Material {
  cert: Buffer;
  key: Buffer;
  ca: Buffer;
}

/** The current certificate of this process. */
export interface Certificates extends experimental.CertificateProvider, Disposable {
  readonly current: Material;
  onChange(listener: (material: Material) => void): void;
}

// Certificates are replaced days before they expire, so this interval is short enough.
const LOOK_MS = 5_000;
const SOON_MS = 86_400_000;
const USAGES = [
  ['1.3.6.1.5.5.7.3.1', 'servers'],
  ['1.3.6.1.5.5.7.3.2', 'clients'],
] as const;
const BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/**
 * Reads the certificate of the service `name`, and reads it again when a file changes. If the new certificate is
 * unusable, logs this and keeps the old certificate. Fails with a ConfigError that names the file and the fault.
 */
export async function openCertificates(
  files: CertificateFiles,
  { name, log, lookMs = LOOK_MS }: { name: string; log: Logger; lookMs?: number },
): Promise<Certificates> {
  let current = await read(files, name);
  const identity = new Set<experimental.IdentityCertificateUpdateListener>();
  const authorities = new Set<experimental.CaCertificateUpdateListener>();
  const listeners = new Set<(material: Material) => void>();
  const toldIdentity = () => ({ certificate: current.cert, privateKey: current.key });
  let lastFault = '';
  const tell = (sentence: string) => {
    if (sentence !== lastFault && sentence !== '') log.error(sentence);
    lastFault = sentence;
  };
  const look = async () => {
    try {
      const found = await read(files, name);
      tell(endsSoon(found) ? 'TLS_CERT_FILE has less than a day left: replace it' : '');
      if (isSame(found, current)) return;
      current = found;
      for (const listener of authorities) listener({ caCertificate: current.ca });
      for (const listener of identity) listener(toldIdentity());
      for (const listener of listeners) listener(current);
      log.info(wordsOf(current), 'The certificate was replaced: new connections use it');
    } catch (error) {
      // Perhaps only one of the two files has been replaced so far. Then the next read finds both.
      tell(`The certificate was not replaced: ${(error as ConfigError).faults?.join(', ') ?? error}`);
    }
  };
  const timer = setInterval(look, lookMs).unref();
  return {
    get current() {
      return current;
    },
    onChange: listener => void listeners.add(listener),
    // Calls the listener one tick later, like the library's own provider. A listener that is called at once would miss
    // the first certificate.
    addCaCertificateListener(listener) {
      authorities.add(listener);
      process.nextTick(() => listener({ caCertificate: current.ca }));
    },
    removeCaCertificateListener: listener => void authorities.delete(listener),
    addIdentityCertificateListener(listener) {
      identity.add(listener);
      process.nextTick(() => listener(toldIdentity()));
    },
    removeIdentityCertificateListener: listener => void identity.delete(listener),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

async function read(files: CertificateFiles, name: string): Promise<Material> {
  const [cert, key, ca] = await Promise.all([
    bytesOf('TLS_CERT_FILE', files.tlsCertFile),
    bytesOf('TLS_KEY_FILE', files.tlsKeyFile),
    bytesOf('TLS_CA_FILE', files.tlsCaFile),
  ]);
  const chain = parse('TLS_CERT_FILE', cert);
  const trusted = parse('TLS_CA_FILE', ca);
  const own = chain[0]!;
  const privateKey = attempt('TLS_KEY_FILE is not a PEM key without a passphrase', () => createPrivateKey(key));
  if (!own.checkPrivateKey(privateKey)) fail('TLS_KEY_FILE is not the key of the certificate in TLS_CERT_FILE');
  for (const [each, when] of chain.map(each => [each, Date.parse(each.validTo)] as const))
    if (when <= Date.now()) fail(`TLS_CERT_FILE has a certificate that expired on ${each.validTo}`);
  if (Date.parse(own.validFrom) > Date.now()) fail(`TLS_CERT_FILE is not valid before ${own.validFrom}`);
  if (!namesIn(own.subjectAltName).includes(name))
    fail(`TLS_CERT_FILE is not the certificate of ${name}: it must name URI:${uriOf(name)}`);
  // The process serves and calls with the same certificate.
  for (const [usage, what] of USAGES)
    if (own.keyUsage && !own.keyUsage.includes(usage))
      fail(`TLS_CERT_FILE is not for ${what}: its extended key usage must have both serverAuth and clientAuth`);
  const last = chain.at(-1)!;
  const issuers = trusted.filter(authority => last.checkIssued(authority) && last.verify(authority.publicKey));
  if (issuers.length === 0) fail('TLS_CERT_FILE was not issued by an authority in TLS_CA_FILE');
  if (issuers.every(({ validTo }) => Date.parse(validTo) <= Date.now()))
    fail(`TLS_CERT_FILE was issued by an authority that expired on ${issuers[0]!.validTo}`);
  const unclear = trusted.find((one, at) => trusted.slice(0, at).some(other => areConfused(one, other)));
  if (unclear)
    fail(
      `TLS_CA_FILE has two authorities named ${unclear.subject.replaceAll('\n', ', ')} without key identifiers, so that certificates of one would be refused: the new authority needs another name`,
    );
  // Uses the parsed certificates: TLS cannot read certificates that were joined without a line break.
  return { cert: pemOf(chain), key, ca: pemOf(trusted) };
}

// The object identifier 2.5.29.14 in DER.
const SUBJECT_KEY_IDENTIFIER = Buffer.from('0603551d0e', 'hex');

/** Returns whether OpenSSL, which finds an issuer by name, would confuse two authorities. */
const areConfused = (one: X509Certificate, other: X509Certificate): boolean =>
  one.subject === other.subject &&
  !one.publicKey.equals(other.publicKey) &&
  !(one.raw.includes(SUBJECT_KEY_IDENTIFIER) && other.raw.includes(SUBJECT_KEY_IDENTIFIER));

const pemOf = (certificates: X509Certificate[]) => Buffer.from(certificates.map(String).join(''));

/** Returns the values for a log line. They show an operator which step of a replacement a process has reached. */
function wordsOf({ cert, ca }: Material): { serialNumber: string; validTo: string; authorities: string[] } {
  const { serialNumber, validTo } = new X509Certificate(cert);
  return { serialNumber, validTo, authorities: parse('TLS_CA_FILE', ca).map(each => each.serialNumber) };
}

async function bytesOf(variable: string, file: string): Promise<Buffer> {
  return await readFile(file).catch(error => fail(`${variable} names ${file}, which cannot be read (${error.code})`));
}

function parse(variable: string, pem: Buffer): X509Certificate[] {
  const blocks = pem.toString().match(BLOCK) ?? [];
  if (blocks.length === 0) fail(`${variable} has no PEM certificate`);
  if (pem.toString().split('-----BEGIN CERTIFICATE-----').length - 1 !== blocks.length)
    fail(`${variable} has a certificate that is cut off`);
  return blocks.map(block => attempt(`${variable} has a damaged certificate`, () => new X509Certificate(block)));
}

function attempt<T>(sentence: string, work: () => T): T {
  try {
    return work();
  } catch {
    return fail(sentence);
  }
}

function fail(fault: string): never {
  throw new ConfigError([fault]);
}

const isSame = (a: Material, b: Material) => a.cert.equals(b.cert) && a.key.equals(b.key) && a.ca.equals(b.ca);
const endsSoon = ({ cert }: Material) => Date.parse(new X509Certificate(cert).validTo) - Date.now() < SOON_MS;
