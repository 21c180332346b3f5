import { secret, secretText, text, url, type Values } from './config.ts';
import { certificateFile, keyFile, type Misplaced } from './tls-files.ts';

const overHttp: Misplaced = env =>
  env.S3_ENDPOINT?.startsWith('https:') ? undefined : 'is set, but S3_ENDPOINT is not an https address';

/** Of every service that has a database. */
export const mongoVariables = {
  mongoUrl: secretText(
    'MONGO_URL',
    'a replica set, with the user and the password; `tls=true` in it, or one of the files below, turns TLS on',
    { pattern: /^mongodb(\+srv)?:\/\//, expected: 'a mongodb:// address' },
  ),
  mongoDatabasePrefix: text('MONGO_DATABASE_PREFIX', "before the name of each service's database", {
    default: '',
    pattern: /^[\w-]{0,50}$/,
    expected: 'at most 50 letters, digits, “_” and “-”',
  }),
  mongoCaFile: certificateFile(
    'MONGO_CA_FILE',
    'the authorities that vouch for MongoDB, instead of those that Node knows',
  ),
  mongoCertFile: certificateFile('MONGO_CERT_FILE', "this service's certificate, where MongoDB asks for one"),
  mongoKeyFile: keyFile('MONGO_KEY_FILE', 'its key', 'MONGO_CERT_FILE'),
};

/** Of every service that reads or writes objects. The credentials are asked for at each request. */
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

type MongoValues = Values<typeof mongoVariables>;
type ObjectValues = Values<typeof objectVariables>;

/** The MongoDB slice of a service's configuration. */
export type MongoSettings = Pick<MongoValues, 'mongoUrl' | 'mongoDatabasePrefix'> & Partial<MongoValues>;

/** The S3 slice of a service's configuration. */
export type ObjectSettings = Omit<ObjectValues, 's3CaFile'> & Partial<ObjectValues>;
