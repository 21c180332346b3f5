import { resolve } from 'node:path';
import { StartError } from '@recording-request/kit/config';
import { storeFault } from '@recording-request/kit-objects/bucket';
import { createObjects, type ObjectSettings, type Store } from '@recording-request/kit-objects/objects';
import { NotDone } from '../run-erase.ts';
import { bucketPlace } from './bucket-place.ts';
import { folderPlace } from './folder-place.ts';
import { locationOf } from './location.ts';
import type { Place } from './place.ts';
import { isSameStore, targetSettings } from './target-variables.ts';

interface Opening {
  /** `--to` or `--from`. */
  option: string;
  /** The value of the option. */
  text: string;
  env: NodeJS.ProcessEnv;
  settings: ObjectSettings;
  /** The product's bucket. */
  objects: Store;
  tick: (bytes: number) => void;
}

/** Returns the place that an option names, without opening it. Fails with NotDone, a ConfigError or a UsageError. */
export function placeOf({ option, text, env, settings, objects, tick }: Opening): Place {
  const location = locationOf(option, text);
  if ('dir' in location) return folderPlace(resolve(location.dir), { objects, tick });
  const { bucket, prefix } = location;
  const of = targetSettings(env, bucket);
  const isSame = isSameStore(env);
  if (bucket === settings.s3Bucket && of.s3Endpoint === settings.s3Endpoint)
    throw new NotDone(
      `${option} names the bucket of the product (S3_BUCKET), whose unknown objects "check" deletes: name another bucket.`,
    );
  return bucketPlace({
    ...{ name: `s3://${bucket}/${prefix}`.replace(/\/$/, ''), bucket, prefix, objects, tick },
    target: createObjects(of),
    endpoint: of.s3Endpoint,
    sameStore: isSame ? { bucket: settings.s3Bucket } : undefined,
    faultOf(error) {
      if ((error as { code?: string } | null)?.code === 'NoSuchBucket')
        return new NotDone(`The bucket ${bucket} does not exist any more.`);
      const fault = storeFault(error, of);
      if (!fault) return error;
      // With the same credentials, a refused copy may need a right at either bucket.
      if (isSame)
        return new StartError(
          fault.message.replace(/( to use the bucket )(\S+)/, `$1$2, or to copy from ${settings.s3Bucket}`),
        );
      return new StartError(
        fault.message.replaceAll(/\bS3_/g, 'BACKUP_S3_').replace(/the object store/i, each => `${each} of the backup`),
      );
    },
  });
}
