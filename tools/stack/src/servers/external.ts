import type { ServerName } from '../install/ensure.ts';
import type { RunningServer } from './start-server.ts';

/**
 * Returns the running server that the variables name, or undefined when they name none. The stack neither installs nor
 * starts such a server. Throws when the variables are incomplete.
 */
export function externalServer(name: ServerName, env: NodeJS.ProcessEnv): RunningServer | undefined {
  const found = READ[name](env);
  return found && { name, graceMs: 0, url: found.url, env: found.env };
}

type Found = { url: string; env: Record<string, string> } | undefined;

const READ: Record<ServerName, (env: NodeJS.ProcessEnv) => Found> = {
  mongo: ({ MONGO_URL, MONGO_URL_FILE }): Found => {
    if (MONGO_URL) return { url: MONGO_URL, env: { MONGO_URL } };
    return MONGO_URL_FILE ? { url: MONGO_URL_FILE, env: { MONGO_URL_FILE } } : undefined;
  },
  kafka: ({ KAFKA_BROKERS }) => (KAFKA_BROKERS ? { url: KAFKA_BROKERS, env: { KAFKA_BROKERS } } : undefined),
  s3: ({ S3_ENDPOINT, S3_REGION = 'us-east-1', ...env }) => {
    if (!S3_ENDPOINT) return undefined;
    const credentials = ['S3_ACCESS_KEY', 'S3_SECRET_KEY'].map(name => (env[`${name}_FILE`] ? `${name}_FILE` : name));
    if (!credentials.every(name => env[name]))
      throw new Error('S3_ENDPOINT is set, so S3_ACCESS_KEY and S3_SECRET_KEY must be too.');
    const given = Object.fromEntries(credentials.map(name => [name, env[name]!]));
    return { url: S3_ENDPOINT, env: { S3_ENDPOINT, S3_REGION, ...given } };
  },
  speech: ({ SPEECH_BASE_URL, SPEECH_API_KEY = '', SPEECH_MODEL = 'whisper-1' }) =>
    SPEECH_BASE_URL ? { url: SPEECH_BASE_URL, env: { SPEECH_BASE_URL, SPEECH_API_KEY, SPEECH_MODEL } } : undefined,
};
