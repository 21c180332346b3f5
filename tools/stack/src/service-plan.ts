import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { freePort } from './ports.ts';
import { keptSecret } from './secrets.ts';

export const SERVICES = ['gateway', 'projects', 'submissions', 'media', 'transcription', 'webhooks'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** The addresses of one service: host:port for gRPC, an http URL for HTTP. */
export interface ServiceAddress {
  grpc: string;
  http?: string;
}

export type Addresses = Record<ServiceName, ServiceAddress>;

/** Chooses a free port for every listener; the gateway gets `gatewayPort` when it is given. */
export async function planAddresses(gatewayPort?: number): Promise<Addresses> {
  const grpc = async () => `127.0.0.1:${await freePort()}`;
  const http = async (port?: number) => `http://127.0.0.1:${port ?? (await freePort())}`;
  return {
    gateway: { grpc: await grpc(), http: await http(gatewayPort) },
    projects: { grpc: await grpc() },
    submissions: { grpc: await grpc(), http: await http() },
    media: { grpc: await grpc() },
    transcription: { grpc: await grpc() },
    webhooks: { grpc: await grpc() },
  };
}

/** Returns the variables that every service of a cluster shares. */
export async function commonEnv(options: {
  serversEnv: Record<string, string>;
  addresses: Addresses;
  dataDir: string;
  kafkaTopicPrefix: string;
  mongoDatabasePrefix: string;
  s3Bucket: string;
  logLevel: string;
}): Promise<Record<string, string>> {
  const { addresses, serversEnv } = options;
  // The next run must be able to decrypt the kept data.
  const secretsKey = await keptSecret(
    join(options.dataDir, 'secrets-key.json'),
    () => `k1:${randomBytes(32).toString('base64')}`,
  );
  return {
    ...serversEnv,
    LOG_LEVEL: options.logLevel,
    // Within the time that the cluster waits for a service to stop.
    STOP_GRACE_SECONDS: '14',
    PROJECTS_GRPC: addresses.projects.grpc,
    SUBMISSIONS_GRPC: addresses.submissions.grpc,
    MEDIA_GRPC: addresses.media.grpc,
    WEBHOOKS_GRPC: addresses.webhooks.grpc,
    SUBMISSIONS_HTTP: addresses.submissions.http ?? '',
    PUBLIC_BASE_URL: addresses.gateway.http ?? '',
    SECRETS_KEY: secretsKey,
    S3_BUCKET: options.s3Bucket,
    KAFKA_TOPIC_PREFIX: options.kafkaTopicPrefix,
    MONGO_DATABASE_PREFIX: options.mongoDatabasePrefix,
    ALLOW_HTTP_URLS: 'true',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
  };
}

/** Returns the variables that say where one service listens. */
export function listenEnv({ grpc, http }: ServiceAddress): Record<string, string> {
  return { GRPC_LISTEN: grpc, ...(http ? { HTTP_LISTEN: new URL(http).host } : {}) };
}
