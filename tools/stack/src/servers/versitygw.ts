import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild } from '../child-process.ts';
import { waitFor } from '../wait.ts';
import { type RunningServer, readyOrKilled, type StartContext } from './start-server.ts';

const READY_MS = 30_000;
const REGION = 'us-east-1';
export const HEALTH = '/health';

/**
 * Returns the arguments of a Versity S3 gateway, the same as in `deploy/`. Each object is a file. Metadata goes to a
 * separate folder, because some file systems lack extended attributes. Without --keep-alive, every request would need a
 * new connection.
 */
export const versitygwArgs = (listen: string, metadata: string, objects: string): string[] => [
  ...['--port', listen, '--region', REGION, '--health', HEALTH, '--quiet', '--keep-alive'],
  ...['posix', '--sidecar', metadata, objects],
];

/** Starts a Versity S3 gateway on one folder, with new keys. */
export async function startVersitygw(versitygw: string, context: StartContext): Promise<RunningServer> {
  const { dataDir, host, port, logFile, env, signal } = context;
  const [objects, metadata] = [join(dataDir, 's3'), join(dataDir, 'metadata')];
  await Promise.all([objects, metadata].map(dir => mkdir(dir, { recursive: true })));
  const [accessKey, secretKey] = [randomBytes(10).toString('hex'), randomBytes(20).toString('hex')];
  const child = await startChild({
    name: 's3',
    command: versitygw,
    args: versitygwArgs(`${host}:${port}`, metadata, objects),
    env: { ...env, ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey },
    logFile,
  });
  const url = `http://${host}:${port}`;
  const isReady = async (limit: AbortSignal) =>
    (await fetch(`${url}${HEALTH}`, { signal: limit })).ok ? true : undefined;
  await readyOrKilled(child, waitFor('s3', isReady, { timeoutMs: READY_MS, child, signal }));
  const s3 = { S3_ENDPOINT: url, S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey, S3_REGION: REGION };
  return { name: 's3', url, env: s3, child, graceMs: 5_000 };
}
