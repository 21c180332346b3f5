import { secret, text, url, type Values } from '@recording-request/kit/config';
import { certificateFile, type Misplaced } from '@recording-request/kit/tls-files';

const overHttp: Misplaced = env =>
  env.S3_ENDPOINT?.startsWith('https:') ? undefined : 'is set, but S3_ENDPOINT is not an https address';

/** Variables of every service that reads or writes objects. Credentials are read again at each request. */
export const objectVariables = {
  s3Endpoint: url('S3_ENDPOINT', 'the store; https turns TLS on'),
  s3AccessKey: secret('S3_ACCESS_KEY', 'who the services are there'),
  s3SecretKey: secret('S3_SECRET_KEY', 'what they sign requests with'),
  s3Region: text('S3_REGION', 'the region in signatures', { default: 'us-east-1' }),
  s3Bucket: text('S3_BUCKET', 'where all objects are', {
    default: 'recording-request',
    pattern: /^(?!.*(\.\.|\.-|-\.))[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    expected: 'the name of a bucket: 3 to 63 of a-z, 0-9, “-” and “.”, the first and the last a letter or digit',
  }),
  s3CaFile: certificateFile(
    'S3_CA_FILE',
    'the authorities that vouch for the store, instead of those that Node knows',
    overHttp,
  ),
};

type ObjectValues = Values<typeof objectVariables>;

/** The S3 slice of a service's configuration. */
export type ObjectSettings = Omit<ObjectValues, 's3CaFile'> & Partial<ObjectValues>;
