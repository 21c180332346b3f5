import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { SERVICES } from '@recording-request/proto/callers';
import { freePort } from './ports.ts';
import { keptSecret } from './secrets.ts';

export { SERVICES };
export type ServiceName = (typeof SERVICES)[number];

/** The addresses of one service: host:port for gRPC and grpc.health.v1, a URL for HTTP. */
export interface ServiceAddress {
  health: string;
  grpc?: string;
  /** The address of the operator's API. */
  operator?: string;
  http?: string;
}

export type Addresses = Record<ServiceName, ServiceAddress>;

/** Chooses a free port for every listener of a service. */
export async function planAddress(name: ServiceName, httpPort?: number): Promise<ServiceAddress> {
  const address = async () => `127.0.0.1:${await freePort()}`;
  const health = await address();
  const web = async (scheme: string) => `${scheme}://127.0.0.1:${httpPort ?? (await freePort())}`;
  if (name === 'gateway') return { health, http: await web('http') };
  if (name === 'transcription') return { health };
  const grpc = await address();
  if (name === 'media') return { health, grpc };
  const operator = await address();
  return { health, grpc, operator, ...(name === 'submissions' && { http: await web('https') }) };
}

/** Chooses the addresses of all services. `gatewayPort` is the HTTP port of the gateway. */
export async function planAddresses(gatewayPort?: number): Promise<Addresses> {
  const each = async (name: ServiceName) => [
    name,
    await planAddress(name, name === 'gateway' ? gatewayPort : undefined),
  ];
  return Object.fromEntries(await Promise.all(SERVICES.map(each)));
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
  // Keeps the key, so that the next run can decrypt the stored data.
  const secretsKey =
    process.env.SECRETS_KEY ||
    (await keptSecret(join(options.dataDir, 'secrets-key.json'), () => `k1:${randomBytes(32).toString('base64')}`));
  return {
    ...serversEnv,
    LOG_LEVEL: options.logLevel,
    // Shorter than the cluster waits for a service to stop.
    STOP_GRACE_SECONDS: '14',
    PROJECTS_GRPC: addresses.projects.grpc ?? '',
    SUBMISSIONS_GRPC: addresses.submissions.grpc ?? '',
    MEDIA_GRPC: addresses.media.grpc ?? '',
    WEBHOOKS_GRPC: addresses.webhooks.grpc ?? '',
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

/** Returns the variables that set the listen addresses of one service. */
export function listenEnv({ health, grpc, operator, http }: ServiceAddress): Record<string, string> {
  return {
    HEALTH_LISTEN: health,
    ...(grpc && { GRPC_LISTEN: grpc }),
    ...(operator && { OPERATOR_LISTEN: operator }),
    ...(http && { HTTP_LISTEN: new URL(http).host }),
  };
}

/** Returns the variables that `npm run admin` needs to reach the services. */
export function operatorEnv(
  addresses: Pick<Addresses, 'projects' | 'submissions' | 'webhooks'>,
): Record<string, string> {
  return {
    PROJECTS_OPERATOR: addresses.projects.operator ?? '',
    SUBMISSIONS_OPERATOR: addresses.submissions.operator ?? '',
    WEBHOOKS_OPERATOR: addresses.webhooks.operator ?? '',
  };
}
