import { NODE_ADDRESS } from '@recording-request/k8s/lab/place';
import { type Manifest, podOf } from '@recording-request/k8s/manifests';
import { makeAuthority } from '@recording-request/stack/authority';
import { ensure } from '@recording-request/stack/install/ensure';
import { ensureMinioClient } from '@recording-request/stack/install/minio-client';
import { type ServersOptions, startServers } from '@recording-request/stack/servers';
import { startBrokers } from '@recording-request/stack/servers/kafka-brokers';
import { minioUsers } from '@recording-request/stack/servers/minio-users';
import { startMongoSet } from '@recording-request/stack/servers/mongo-set';
import { secret } from '../product/overlay.ts';
import type { Beside } from './beside.ts';
import { type Logins, loginManager, ownSecret } from './logins.ts';

/**
 * Starts three members of MongoDB and three brokers, with TLS and logins, and an object store with a root user that the
 * product does not use.
 */
export async function startSeveral(options: ServersOptions): Promise<Beside> {
  const { dataDir, log, signal, env } = options;
  const installed = await ensure(['mongo', 'kafka'], log, { signal, env });
  const mc = await ensureMinioClient({ env: process.env, log, signal });
  const authority = await makeAuthority();
  const certificate = { ...(await authority.issue([NODE_ADDRESS])), ca: authority.cert };
  const common = { dataDir, host: NODE_ADDRESS, certificate, env, signal };
  await using starting = new AsyncDisposableStack();
  const servers = starting.use(await startServers({ ...options, only: ['s3', 'speech'] }));
  const mongo = starting.use(await startMongoSet(installed.mongo!, { ...common, login: true }));
  const kafka = starting.use(await startBrokers(installed.kafka!, common));
  const store = minioUsers(mc, { endpoint: servers.s3.endpoint, keys: servers.s3, dataDir });
  const desk = loginManager({ mongo, kafka, store, authority: authority.cert, s3: servers.s3 });
  const logins = await desk.add();
  const opened = starting.move();
  // Leaves out the keys of the root user, because no service gets them.
  const { S3_ACCESS_KEY: _, S3_SECRET_KEY: __, ...known } = servers.env;
  const own = Object.entries(logins).map(([name, keys]) => secret(ownSecret(name), keys));
  return {
    env: { ...servers.env, MONGO_URL: mongo.url, KAFKA_BROKERS: kafka.addresses.join(',') },
    // The network policies open the ports of these addresses.
    productEnv: {
      ...{ ...known, ...SETTINGS, KAFKA_BROKERS: kafka.secureAddresses.join(',') },
      MONGO_URL: mongo.url.replace(/:\/\/.*@/, '://'),
    },
    secrets: [secret('servers-ca', { 'kafka.crt': authority.cert, 'mongo.crt': authority.cert }), ...own],
    withOwnSecrets: objects => objects.map(object => withOwnSecret(object, logins)),
    several: { mongo, kafka, desk, logins },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function withOwnSecret(object: Manifest, logins: Logins): Manifest {
  const { name } = object.metadata;
  const containers: { env?: EnvVariable[] }[] = podOf(object)?.spec.containers ?? [];
  for (const { name: variable, valueFrom } of containers.flatMap(({ env = [] }) => env))
    if (valueFrom?.secretKeyRef && variable in (logins[name] ?? {})) valueFrom.secretKeyRef.name = ownSecret(name);
  return object;
}

interface EnvVariable {
  name: string;
  valueFrom?: { secretKeyRef?: { name: string } };
}

/** The same settings as in deploy/servers.md. */
const SETTINGS = {
  MONGO_CA_FILE: '/servers-ca/mongo.crt',
  KAFKA_TLS: 'true',
  KAFKA_CA_FILE: '/servers-ca/kafka.crt',
  KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
  KAFKA_REPLICATION: '3',
};
