import { secret, text, url, type Values } from '@recording-request/kit/config';
import { certificateFile, type Misplaced } from '@recording-request/kit/tls-files';

const overHttp: Misplaced = env =>
  env.S3_ENDPOINT?.startsWith('https:') ? undefined : 'is set, but S3_ENDPOINT is not an https address';

/** Variables of every service that reads or writes objects. Credentials are read again at each request. */
export const objectVariables = {
  s3Endpoint: url('S3_ENDPOINT', 'the address of the object store; https turns TLS on'),
  s3AccessKey: secret('S3_ACCESS_KEY', 'the access key of the services'),
  s3SecretKey: secret('S3_SECRET_KEY', 'the secret key that signs their requests'),
  s3Region: text('S3_REGION', 'the region in signatures', { default: 'us-east-1' }),
  s3Bucket: text('S3_BUCKET', 'the bucket of all objects', {
    default: 'recording-request',
    pattern: /^(?!.*(\.\.|\.-|-\.))[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    expected: 'the name of a bucket: 3 to 63 of a-z, 0-9, “-” and “.”, with a letter or digit first and last',
  }),
  s3CaFile: certificateFile(
    'S3_CA_FILE',
    'the certificate authorities for the store, instead of Node’s own list',
    overHttp,
  ),
};

type ObjectValues = Values<typeof objectVariables>;

/** The S3 slice of a service's configuration. */
export type ObjectSettings = Omit<ObjectValues, 's3CaFile'> & Partial<ObjectValues>;
