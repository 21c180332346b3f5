import { secretText, text, type Values } from '@recording-request/kit/config';
import { certificateFile, keyFile } from '@recording-request/kit/tls-files';

/** Variables of every service with a database. */
export const mongoVariables = {
  mongoUrl: secretText(
    'MONGO_URL',
    'a replica set, with the user and the password; `tls=true` in it, or one of the files below, turns TLS on',
    { pattern: /^mongodb(\+srv)?:\/\//, expected: 'a mongodb:// or mongodb+srv:// address' },
  ),
  mongoDatabasePrefix: text('MONGO_DATABASE_PREFIX', "the prefix of each service's database name", {
    default: '',
    pattern: /^[\w-]{0,50}$/,
    expected: 'at most 50 letters, digits, “_” and “-”',
  }),
  mongoCaFile: certificateFile('MONGO_CA_FILE', 'the certificate authorities for MongoDB, instead of Node’s own list'),
  mongoCertFile: certificateFile('MONGO_CERT_FILE', "this service's certificate, if MongoDB requires one"),
  mongoKeyFile: keyFile('MONGO_KEY_FILE', 'its key', 'MONGO_CERT_FILE'),
};

type MongoValues = Values<typeof mongoVariables>;

/** The MongoDB slice of a service's configuration. */
export type MongoSettings = Pick<MongoValues, 'mongoUrl' | 'mongoDatabasePrefix'> & Partial<MongoValues>;
