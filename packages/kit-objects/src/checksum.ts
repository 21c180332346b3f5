import { crc32 } from 'node:zlib';
import type { Client } from 'minio';
import { runRequest } from './requests.ts';

/** An object that is stored in one request. */
export interface WholePut {
  key: string;
  body: Buffer;
  contentType: string;
  metadata?: Record<string, string> | undefined;
  signal?: AbortSignal | undefined;
}

export const METADATA = 'x-amz-meta-';

/** Returns the request headers that store `metadata` with an object. */
export const metadataHeaders = (metadata: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [METADATA + name, value]));

interface Store {
  client: Client;
  bucket: string;
  requestMs: number;
}

const REFUSED_MS = 5 * 60_000;
const PROBE_MS = 5_000;
/** The key of the test object that shows whether the store verifies checksums. Some stores keep the object. */
export const PROBE_KEY = 'checksum-probe';
// The error codes of S3 and MinIO for a body that does not match its checksum.
const MISMATCH = /^(BadDigest|XAmzContentChecksumMismatch)$/;
// The error codes of a store without checksum support. After other codes, for example from a full store, the client
// does not send the object again.
const REFUSAL = /Digest|Checksum|SHA256|^Invalid|^AccessDenied$|^NotImplemented$/;

/**
 * Returns a function that stores an object in one request of at most `requestMs`. If the store verifies CRC-32, the
 * function sends a CRC-32 with the body. For other stores it uses the client's own method, which also copies the body
 * and computes its MD5.
 */
export function wholePuts({ client, bucket, requestMs }: Store): (put: WholePut) => Promise<void> {
  const support = checksumSupport({ client, bucket, requestMs });

  async function store({ key, body, contentType, metadata, signal }: WholePut): Promise<void> {
    const headers = { 'Content-Type': contentType, ...metadataHeaders(metadata) };
    const putSigned = () => client.putObject(bucket, key, body, body.length, { ...headers });
    const isVerified = await support.verifies(signal);
    signal?.throwIfAborted();
    if (!isVerified) return void (await putSigned());
    try {
      await putWithChecksum(client, bucket, key, body, headers, crc32(body));
    } catch (error) {
      // Either the store no longer supports checksums, or bytes changed on the way. In the first case, a request
      // without a checksum succeeds.
      if (!REFUSAL.test(codeOf(error))) throw error;
      await putSigned();
      support.distrust();
    }
  }

  return put => runRequest(() => store(put), requestMs, 'storing an object', put.signal);
}

/**
 * Finds out whether the store verifies checksums, by sending a byte with the CRC-32 of another byte. A store that does
 * not respond in time counts as a store without checksums. A store without checksums is probed again after some
 * minutes. A store with checksums is probed once: each probe is a request with an error, which operators see in the metrics.
 */
function checksumSupport({ client, bucket, requestMs }: Store) {
  let known: { value: boolean; until: number } | undefined;
  let finding: Promise<boolean> | undefined;
  const remember = (value: boolean) => {
    known = { value, until: value ? Number.POSITIVE_INFINITY : performance.now() + REFUSED_MS };
  };

  async function find(signal: AbortSignal | undefined): Promise<boolean> {
    // The probe gets at most half of the time; the rest is for the object.
    const limitMs = Math.min(PROBE_MS, requestMs / 2);
    const probe = () => verifiesChecksums(client, bucket);
    const value = await runRequest(probe, limitMs, 'looking for checksums', signal).catch(() => false);
    if (!signal?.aborted) remember(value);
    return value;
  }

  return {
    async verifies(signal: AbortSignal | undefined): Promise<boolean> {
      if (known && known.until > performance.now()) return known.value;
      finding ??= find(signal).finally(() => {
        finding = undefined;
      });
      return await finding;
    },
    /** The store refused a correct checksum, so the client sends no checksums for a while. */
    distrust: () => remember(false),
  };
}

/**
 * Sends a byte with the CRC-32 of another byte. Returns true if the store refuses it; otherwise removes it and returns
 * false. Rejects if the store does not allow writes.
 */
export async function verifiesChecksums(client: Client, bucket: string): Promise<boolean> {
  const wrong = crc32('another byte');
  const stored = await putWithChecksum(client, bucket, PROBE_KEY, Buffer.from('1'), {}, wrong).catch(error => {
    if (MISMATCH.test(codeOf(error))) return undefined;
    throw error;
  });
  if (stored === undefined) return true;
  const { versionId } = stored;
  await client.removeObject(bucket, PROBE_KEY, versionId === undefined ? {} : { versionId });
  return false;
}

async function putWithChecksum(
  client: Client,
  bucketName: string,
  objectName: string,
  body: Buffer,
  headers: Record<string, string>,
  checksum: number,
): Promise<{ versionId: string | undefined }> {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(checksum);
  const sent = { ...headers, 'x-amz-checksum-crc32': sum.toString('base64') };
  const request = { method: 'PUT', bucketName, objectName, headers: sent };
  const answer = await client.makeRequestAsyncOmit(request, body);
  return { versionId: answer.headers['x-amz-version-id']?.toString() };
}

const codeOf = (error: unknown): string => (error as { code?: string } | null)?.code ?? '';
