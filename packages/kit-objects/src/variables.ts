import { existsSync } from 'node:fs';
import { oneOf, secret, text, url, type Values } from '@recording-request/kit/config';
import type { Secret } from '@recording-request/kit/secret-file';
import { certificateFile, type Misplaced } from '@recording-request/kit/tls-files';
import type { Variable } from '@recording-request/kit/variable';

const overHttp: Misplaced = env =>
  env.S3_ENDPOINT?.startsWith('https:') ? undefined : 'is set, but S3_ENDPOINT is not an https address';

const ofCredentials = oneOf(
  'S3_CREDENTIALS',
  "`keys`: `S3_ACCESS_KEY` and `S3_SECRET_KEY`; `role`: temporary credentials of the pod's role, from `AWS_WEB_IDENTITY_TOKEN_FILE` and `AWS_ROLE_ARN`, from `AWS_CONTAINER_CREDENTIALS_FULL_URI`, or from the instance's metadata",
  ['keys', 'role'],
  'keys',
);

const credentials: typeof ofCredentials = {
  ...ofCredentials,
  parse(value, env) {
    if (value === 'role' && !env.AWS_WEB_IDENTITY_TOKEN_FILE !== !env.AWS_ROLE_ARN)
      throw new Error('is role, but of AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE only one is set: set both');
    return ofCredentials.parse(value, env);
  },
};

/** Makes a key required for `keys`, and refuses it for `role`. */
function ofKeys(key: Variable<Secret>): Variable<Secret | undefined> {
  return {
    ...key,
    unset: 'required for `keys`',
    parse(value, env) {
      if (env.S3_CREDENTIALS !== 'role') return key.parse(value, env);
      // Ignores a missing file, because Kubernetes may name a file for a key that the Secret does not have.
      if (value !== undefined || existsSync(env[`${key.name}_FILE`] ?? ''))
        throw new Error('is set, but S3_CREDENTIALS is role: unset one of them');
      return undefined;
    },
  };
}

/** Variables of every service that reads or writes objects. Keys are read again at each request. */
export const objectVariables = {
  s3Endpoint: url('S3_ENDPOINT', 'the address of the object store; https turns TLS on'),
  s3Credentials: credentials,
  s3AccessKey: ofKeys(secret('S3_ACCESS_KEY', 'the access key of the services')),
  s3SecretKey: ofKeys(secret('S3_SECRET_KEY', 'the secret key that signs their requests')),
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
export type ObjectSettings = Omit<ObjectValues, 's3CaFile' | 's3Credentials'> & Partial<ObjectValues>;
