import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A certificate with its key, both PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

export interface Authority {
  key(): Promise<string>;
  /** The certificate to trust. */
  cert: string;
  /**
   * Issues a certificate for host names, addresses and URIs, valid from yesterday (until yesterday if `expired`). The
   * certificate permits any use unless `usages` (object identifiers) limit its use.
   */
  issue(names: string[], options?: { expired?: boolean; usages?: string[] }): Promise<Certificate>;
}

const DAY_MS = 86_400_000;
const VALID_DAYS = 365;
const AUTHORITY_DAYS = 3_650;
const KEYS = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' };

/**
 * Creates a certificate authority, or uses the one in `kept`. The key of the authority exists only in this process
 * unless the caller requests it. TLS finds an issuer by its name. So each authority has a different name: during a
 * rotation, clients trust both.
 */
export async function makeAuthority(
  kept?: Certificate,
  options: { name?: string; expired?: boolean } = {},
): Promise<Authority> {
  const keys = kept ? { privateKey: await keyOf(kept.key) } : await newKeys();
  const own = kept ? new X509Certificate(kept.cert) : await selfSigned(keys as CryptoKeyPair, options);
  return {
    cert: `${own.toString('pem')}\n`,
    key: () => pemOf(keys.privateKey),
    async issue(names, { expired = false, usages } = {}) {
      const { publicKey, privateKey } = await newKeys();
      const made = await X509CertificateGenerator.create({
        ...validity(expired),
        subject: `CN=${commonName(names)}`,
        issuer: own.subject,
        publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: SIGNING,
        extensions: [alternatives(names), ...(usages ? [new ExtendedKeyUsageExtension(usages)] : [])],
      });
      return { cert: `${made.toString('pem')}\n`, key: await pemOf(privateKey) };
    },
  };
}

const uniqueName = () => `Recording Request ${randomBytes(6).toString('hex')}`;
const selfSigned = (keys: CryptoKeyPair, { name = uniqueName(), expired = false }) =>
  X509CertificateGenerator.createSelfSigned({
    ...validity(expired, AUTHORITY_DAYS),
    name: `CN=${name}`,
    keys,
    signingAlgorithm: SIGNING,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });

export async function makeSelfSigned(names: string[]): Promise<Certificate> {
  const keys = await newKeys();
  const made = await X509CertificateGenerator.createSelfSigned({
    ...validity(false),
    name: `CN=${commonName(names)}`,
    keys,
    signingAlgorithm: SIGNING,
    extensions: [alternatives(names)],
  });
  return { cert: `${made.toString('pem')}\n`, key: await pemOf(keys.privateKey) };
}

const newKeys = () => crypto.subtle.generateKey(KEYS, true, ['sign', 'verify']);
const commonName = ([first = 'nobody']: string[]) => first.slice(first.lastIndexOf('/') + 1);
const typeOf = (name: string): 'url' | 'ip' | 'dns' => (name.includes('://') ? 'url' : isIP(name) ? 'ip' : 'dns');
const alternatives = (names: string[]) =>
  new SubjectAlternativeNameExtension(names.map(value => ({ type: typeOf(value), value })));

function validity(expired: boolean, days = VALID_DAYS): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return expired
    ? { notBefore: new Date(now - 10 * DAY_MS), notAfter: new Date(now - DAY_MS) }
    : { notBefore: new Date(now - DAY_MS), notAfter: new Date(now + days * DAY_MS) };
}

const keyOf = (pem: string): Promise<CryptoKey> => {
  const base64 = pem.replace(/-----.*-----|\s/g, '');
  return crypto.subtle.importKey('pkcs8', Buffer.from(base64, 'base64'), KEYS, true, ['sign']);
};

async function pemOf(key: CryptoKey): Promise<string> {
  const base64 = Buffer.from(await crypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${base64.replace(/.{64}(?!$)/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;
}
