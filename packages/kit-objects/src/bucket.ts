import { StartError } from '@recording-request/kit/config';
import { MIGRATE_COMMAND } from '@recording-request/kit/run-migration';
import { tlsFault } from '@recording-request/kit/tls-files';
import type { Client } from 'minio';
import { asked } from './requests.ts';
import type { ObjectSettings } from './variables.ts';

/** The bucket itself. Each fails with a StartError where somebody has to change something first. */
export interface Bucket {
  hasBucket(): Promise<boolean>;
  /** Fails with a StartError where there is none, too. */
  requireBucket(): Promise<void>;
  /** Makes the bucket unless it is there; returns whether it did. */
  ensureBucket(): Promise<boolean>;
}

/** Each request takes at most `requestMs`. */
export function bucketOf(client: Client, settings: ObjectSettings, requestMs: number): Bucket {
  const { s3Bucket: bucket, s3Region: region } = settings;
  const ask = <T>(work: () => Promise<T>, what: string) => asked(work, requestMs, what);
  const refused = (error: unknown) => {
    throw storeFault(error, settings) ?? error;
  };
  async function isThere(): Promise<boolean> {
    try {
      return await ask(() => client.bucketExists(bucket), 'looking for the bucket');
    } catch (error) {
      // A refusal without a body does not say of what: that of a listing does.
      if (codeOf(error) !== 'AccessDenied') throw error;
      await ask(() => client.listObjectsV2Query(bucket, '', '', '', 1, ''), 'looking for the bucket');
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
        await ask(() => client.makeBucket(bucket, region), 'making the bucket');
        return true;
      } catch (error) {
        return /^BucketAlready/.test(codeOf(error)) ? false : refused(error);
      }
    },
  };
}

const REFUSED_LOGIN = /^(InvalidAccessKeyId|SignatureDoesNotMatch)$/;

/** Returns what keeps this process from the bucket until somebody changes it; undefined for an error that may pass. */
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
