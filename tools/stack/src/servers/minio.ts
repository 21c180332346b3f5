import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { get as getSecure } from 'node:https';
import { join } from 'node:path';
import { startChild } from '../child-process.ts';
import { keptSecret } from '../secrets.ts';
import { waitFor } from '../wait.ts';
import { type RunningServer, readyOrKilled, type ServerCertificate, type StartContext } from './start-server.ts';

const READY_MS = 60_000;
const REGION = 'us-east-1';

/**
 * Starts MinIO on one folder. Its credentials are random and stored with the data, so that presigned URLs stay valid
 * after a restart.
 */
export async function startMinio(minio: string, context: StartContext): Promise<RunningServer> {
  const { dataDir, host, port, logFile, env, signal, certificate } = context;
  const objects = join(dataDir, 's3');
  await mkdir(objects, { recursive: true });
  const { accessKey, secretKey } = await keptSecret(join(dataDir, 's3-credentials.json'), () => ({
    accessKey: env.S3_ACCESS_KEY || randomBytes(10).toString('hex'),
    secretKey: env.S3_SECRET_KEY || randomBytes(20).toString('hex'),
  }));
  const certs = join(dataDir, 's3-tls');
  if (certificate) await writeCertificate(certificate, certs);
  const child = await startChild({
    name: 's3',
    command: minio,
    args: [
      'server',
      objects,
      '--address',
      `${host}:${port}`,
      '--quiet',
      ...(certificate ? ['--certs-dir', certs] : []),
    ],
    env: {
      ...env,
      MINIO_ROOT_USER: accessKey,
      MINIO_ROOT_PASSWORD: secretKey,
      MINIO_REGION: REGION,
      MINIO_BROWSER: 'off',
      MINIO_UPDATE: 'off',
      MINIO_SCANNER_SPEED: 'slowest',
    },
    logFile,
  });
  const url = `${certificate ? 'https' : 'http'}://${host}:${port}`;
  const isReady = async (limit: AbortSignal) =>
    (await statusOf(`${url}/minio/health/ready`, certificate?.ca, limit)) === 200 ? true : undefined;
  await readyOrKilled(child, waitFor('s3', isReady, { timeoutMs: READY_MS, child, signal }));
  const s3 = { S3_ENDPOINT: url, S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey, S3_REGION: REGION };
  return { name: 's3', url, env: s3, child, graceMs: 5_000 };
}

async function writeCertificate({ cert, key }: ServerCertificate, dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'public.crt'), cert);
  await writeFile(join(dir, 'private.key'), key, { mode: 0o600 });
}

/** Returns the status of a GET request. Does not use `fetch`, which has no option for another certificate authority. */
async function statusOf(url: string, ca: string | undefined, signal: AbortSignal): Promise<number | undefined> {
  const request = ca ? getSecure(url, { ca, signal, agent: false }) : get(url, { signal, agent: false });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}
