import { StartError } from '@recording-request/kit/config';
import { MIGRATE_COMMAND } from '@recording-request/kit/run-migration';
import { tlsFault } from '@recording-request/kit/tls-files';
import type { Client } from 'minio';
import { verifiesChecksums } from './checksum.ts';
import { runRequest } from './requests.ts';
import type { ObjectSettings } from './variables.ts';

/** The bucket itself. Each method rejects with a StartError if an operator must change something first. */
export interface Bucket {
  hasBucket(): Promise<boolean>;
  /** Also rejects with a StartError if the bucket is missing. */
  requireBucket(): Promise<void>;
  /** Rejects if the store does not allow writes. Leaves no object. */
  requireWrite(): Promise<void>;
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
    async requireWrite() {
      await run(() => verifiesChecksums(client, bucket), 'storing an object').catch(refused);
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

const REFUSED_LOGIN = /^(InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken(Id)?|ExpiredToken)$/;

/**
 * Returns a StartError for an error that lasts until an operator changes something; undefined for a temporary error.
 */
export function storeFault(
  error: unknown,
  { s3CaFile, s3Bucket, s3Credentials }: ObjectSettings,
): StartError | undefined {
  if (error instanceof StartError) return error;
  const code = codeOf(error);
  const isRole = s3Credentials === 'role';
  if (REFUSED_LOGIN.test(code)) {
    const login = isRole ? 'the credentials of the role' : 'S3_ACCESS_KEY with S3_SECRET_KEY';
    return new StartError(`The object store does not accept ${login} (${code}).`);
  }
  if (code === 'AccessDenied') {
    const user = isRole ? 'the role (AWS_ROLE_ARN)' : 'S3_ACCESS_KEY';
    return new StartError(`The object store does not allow ${user} to use the bucket ${s3Bucket} (${code}).`);
  }
  const fault = tlsFault(error, 'the object store', s3CaFile ? 'S3_CA_FILE' : 'Node’s own list: set S3_CA_FILE');
  return fault === undefined ? undefined : new StartError(fault);
}

const codeOf = (error: unknown): string => (error as { code?: string } | null)?.code ?? '';
