import { randomBytes } from 'node:crypto';

/** A test file's own databases, topics and bucket on the shared servers. */
export interface TestEnvironment {
  /** The bucket's name. The databases begin with `<name>_`, the topics with `<name>.`. */
  name: string;
  /** process.env with the names of this file's own resources. */
  env: NodeJS.ProcessEnv;
}

const NEEDED = ['MONGO_URL', 'KAFKA_BROKERS', 'S3_ENDPOINT', 'S3_ACCESS_KEY', 'S3_SECRET_KEY', 'SPEECH_BASE_URL'];

/** Returns an environment with `extra` variables. Throws when the real servers do not run: `npm test` starts them. */
export function testEnvironment(extra: Record<string, string> = {}): TestEnvironment {
  const missing = NEEDED.filter(name => !process.env[name]);
  if (missing.length > 0) throw new Error(`no real servers to test against (${missing.join(', ')}): run npm test`);
  const name = `t${randomBytes(5).toString('hex')}`;
  return {
    name,
    env: {
      ...process.env,
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'error',
      STOP_GRACE_SECONDS: '15',
      GRPC_LISTEN: '127.0.0.1:0',
      OPERATOR_LISTEN: '127.0.0.1:0',
      HEALTH_LISTEN: '127.0.0.1:0',
      HTTP_LISTEN: '127.0.0.1:0',
      MONGO_DATABASE_PREFIX: `${name}_`,
      KAFKA_TOPIC_PREFIX: `${name}.`,
      KAFKA_PARTITIONS: '2',
      S3_BUCKET: name,
      SECRETS_KEY: `k1:${randomBytes(32).toString('base64')}`,
      ...extra,
    },
  };
}

/** Returns those variables of process.env that have the addresses of the shared servers. */
export function serverVariables(): Record<string, string> {
  const found = Object.entries(process.env).filter(([name]) => /^(?:MONGO_URL|KAFKA_BROKERS|S3_|SPEECH_)/.test(name));
  return Object.fromEntries(found) as Record<string, string>;
}
