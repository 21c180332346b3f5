import { StartError } from '@recording-request/kit/config';
import { MIGRATE_COMMAND } from '@recording-request/kit/run-migration';
import { tlsFault } from '@recording-request/kit/tls-files';
import type { Client } from 'minio';
import { runRequest } from './requests.ts';
import type { ObjectSettings } from './variables.ts';

/** The bucket itself. Each method rejects with a StartError if an operator must change something first. */
export interface Bucket {
  hasBucket(): Promise<boolean>;
  /** Also rejects with a StartError if the bucket is missing. */
  requireBucket(): Promise<void>;
  /** Creates the bucket if it is missing; returns whether it did. */
  ensureBucket(): Promise<boolean>;
}

/** Each request takes at most `requestMs`. */
export function bucketOf(client: Client, settings: ObjectSettings, requestMs: number): Bucket {
  const { s3Bucket: bucket, s3Region: region } = settings;
  const run = <T>(work: () => Promise<T>, what: string) => runRequest(work, requestMs, what);
  const refused = (error: unknown) => {
    throw storeFault(error, settings) ?? error;
  };
  async function isThere(): Promise<boolean> {
    try {
      return await run(() => client.bucketExists(bucket), 'looking for the bucket');
    } catch (error) {
      // The response to a refused HEAD has no body with a reason. The response to a refused listing has such a body.
      if (codeOf(error) !== 'AccessDenied') throw error;
      await run(() => client.listObjectsV2Query(bucket, '', '', '', 1, ''), 'looking for the bucket');
      return true;
    }
  }
  const hasBucket = () => isThere().catch(refused);
  return {
    hasBucket,
    async requireBucket() {
      if (!(await hasBucket()))
        throw new StartError(`The bucket ${bucket} does not exist: run ${MIGRATE_COMMAND} first.`);
    },
    async ensureBucket() {
      if (await hasBucket()) return false;
      try {
        await run(() => client.makeBucket(bucket, region), 'creating the bucket');
        return true;
      } catch (error) {
        return /^BucketAlready/.test(codeOf(error)) ? false : refused(error);
      }
    },
  };
}

const REFUSED_LOGIN = /^(InvalidAccessKeyId|SignatureDoesNotMatch)$/;

/**
 * Returns a StartError for an error that lasts until an operator changes something; undefined for a temporary error.
 */
export function storeFault(error: unknown, { s3CaFile, s3Bucket }: ObjectSettings): StartError | undefined {
  const code = codeOf(error);
  if (REFUSED_LOGIN.test(code))
    return new StartError(`The object store does not accept S3_ACCESS_KEY with S3_SECRET_KEY (${code}).`);
  if (code === 'AccessDenied')
    return new StartError(`The object store does not allow S3_ACCESS_KEY to use the bucket ${s3Bucket} (${code}).`);
  const fault = tlsFault(error, 'the object store', s3CaFile ? 'S3_CA_FILE' : 'Node’s own list: set S3_CA_FILE');
  return fault === undefined ? undefined : new StartError(fault);
}

const codeOf = (error: unknown): string => (error as { code?: string } | null)?.code ?? '';
