import { type Client, CopyDestinationOptions, CopySourceOptions } from 'minio';
import { METADATA, metadataHeaders } from './checksum.ts';
import { endUpload } from './multipart.ts';
import { runRequest } from './requests.ts';

/** An object in a bucket of the same store, as the bucket described it. */
export interface CopySource {
  bucket: string;
  key: string;
  size: number;
  etag: string;
}

export interface CopyOptions {
  contentType: string;
  metadata?: Record<string, string>;
  /** Asks the store to compute the SHA-256 of the copied bytes. It does not apply to a copy in parts. */
  withSha256?: boolean;
}

/** Copies that the store makes itself. */
export interface Copies {
  /**
   * Copies an object that the credentials may read. Fails if the object no longer has the ETag. The caller must
   * describe the copy afterwards: some stores report success and store nothing.
   */
  copyFrom(source: CopySource, key: string, options: CopyOptions): Promise<void>;
  /** Returns the size and metadata of an object, and its SHA-256 in hex if the store has computed it over all bytes. */
  describe(key: string): Promise<Described | undefined>;
}

export interface Described {
  size: number;
  etag: string;
  metadata: Record<string, string>;
  sha256: string | undefined;
}

/** The largest object that a store copies in one request. */
export const COPY_BYTES = 5 * 1024 ** 3;
// Stores copy at least 10 MB/s.
const COPY_MS = 10 * 60_000;

/**
 * A request that copies no bytes takes at most `requestMs`. An object larger than `copyBytes` is copied in parts of
 * this size.
 */
export function copiesOf(
  { client, bucket, requestMs }: { client: Client; bucket: string; requestMs: number },
  copyBytes = COPY_BYTES,
): Copies {
  const copying = <T>(work: () => Promise<T>) => runRequest(work, COPY_MS, 'copying an object');

  async function copyInParts(source: CopySource, key: string, headers: Record<string, string>): Promise<void> {
    const id = await runRequest(
      () => client.initiateNewMultipartUpload(bucket, key, headers),
      requestMs,
      'copying an object',
    );
    try {
      const parts: Array<{ part: number; etag: string }> = [];
      for (let at = 0; at < source.size; at += copyBytes) {
        const range = `bytes=${at}-${Math.min(at + copyBytes, source.size) - 1}`;
        const part = { bucketName: bucket, objectName: key, uploadID: id, partNumber: parts.length + 1 };
        const from = { ...sourceOf(source).getHeaders(), 'x-amz-copy-source-range': range };
        const { etag } = await copying(() => client.uploadPart({ ...part, headers: from }));
        parts.push({ part: part.partNumber, etag });
      }
      await copying(() => client.completeMultipartUpload(bucket, key, id, parts));
    } catch (error) {
      await endUpload(client, bucket, key, id, requestMs).catch(() => {});
      throw error;
    }
  }

  return {
    async copyFrom(source, key, { contentType, metadata = {}, withSha256 = false }) {
      const about = { 'Content-Type': contentType, ...metadataHeaders(metadata) };
      if (source.size > copyBytes) return await copyInParts(source, key, about);
      const to = new CopyDestinationOptions({
        ...{ Bucket: bucket, Object: key, MetadataDirective: 'REPLACE' },
        Headers: { ...about, ...(withSha256 && { 'x-amz-checksum-algorithm': 'SHA256' }) },
      });
      await copying(() => client.copyObject(sourceOf(source), to));
    },
    async describe(key) {
      const headers = { 'x-amz-checksum-mode': 'ENABLED' };
      const request = { method: 'HEAD', bucketName: bucket, objectName: key, headers };
      const look = () => client.makeRequestAsyncOmit(request);
      const found = await runRequest(look, requestMs, 'reading the details of an object').catch(error => {
        if (/^(NotFound|NoSuchKey)$/.test((error as { code?: string }).code ?? '')) return undefined;
        throw error;
      });
      return found && describedBy(found.headers);
    },
  };
}

const sourceOf = ({ bucket, key, etag }: CopySource): CopySourceOptions =>
  new CopySourceOptions({ Bucket: bucket, Object: key, MatchETag: etag });

function describedBy(headers: NodeJS.Dict<string | string[]>): Described {
  const ofMetadata = Object.entries(headers).filter(([name]) => name.startsWith(METADATA));
  return {
    size: Number(headers['content-length']),
    etag: String(headers.etag ?? '').replaceAll('"', ''),
    metadata: Object.fromEntries(ofMetadata.map(([name, value]) => [name.slice(METADATA.length), String(value)])),
    sha256: wholeSha256(headers),
  };
}

/** The checksum of an object in parts may be a hash of the parts' hashes. */
function wholeSha256(headers: NodeJS.Dict<string | string[]>): string | undefined {
  const value = headers['x-amz-checksum-sha256'];
  if (typeof value !== 'string' || value.includes('-') || headers['x-amz-checksum-type'] === 'COMPOSITE')
    return undefined;
  return Buffer.from(value, 'base64').toString('hex');
}
