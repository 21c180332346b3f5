import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureVersitygw } from './install/versitygw.ts';
import type { Log } from './log.ts';
import { freePort } from './ports.ts';
import { startVersitygw } from './servers/versitygw.ts';

/**
 * The S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY and S3_REGION of a store other than MinIO. The store ends on disposal,
 * or with this process.
 */
export interface SecondStore extends AsyncDisposable {
  env: Record<string, string>;
}

/**
 * Starts a Versity S3 gateway on a new folder, for tests that must pass on any S3 store. Builds the gateway if it is
 * missing.
 */
export async function startSecondStore(log: Log = () => {}): Promise<SecondStore> {
  const { env } = process;
  const versitygw = await ensureVersitygw({ env, log });
  const dataDir = await mkdtemp(join(tmpdir(), 'recording-request-second-store-'));
  const remove = () => rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  try {
    const context = {
      dataDir,
      host: '127.0.0.1',
      port: await freePort(),
      logFile: join(dataDir, 'versitygw.log'),
      env,
    };
    const server = await startVersitygw(versitygw, context);
    return {
      env: server.env,
      async [Symbol.asyncDispose]() {
        await server.child?.stop(server.graceMs);
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
