import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { run } from '../install/run.ts';

export interface StoreKeys {
  accessKey: string;
  secretKey: string;
}

/** Creates users of a MinIO server in addition to its root user. */
export interface StoreUsers {
  /**
   * Creates a user with the policies in files; the store keeps each policy under its `name`. By default, the user may
   * read and write every bucket.
   */
  add(...policies: Array<{ name: string; file: string }>): Promise<StoreKeys>;
  remove(accessKey: string): Promise<void>;
}

const COMMAND_MS = 30_000;
const ALIAS = 'store';

/**
 * Returns the users of a MinIO server. `mc` is MinIO's client, from `ensureMinioClient`. `keys` belong to the root
 * user. `dataDir` contains the client's files.
 */
export function minioUsers(
  mc: string,
  { endpoint, keys, dataDir }: { endpoint: string; keys: StoreKeys; dataDir: string },
): StoreUsers {
  const { protocol, host } = new URL(endpoint);
  const env = { ...process.env, [`MC_HOST_${ALIAS}`]: `${protocol}//${keys.accessKey}:${keys.secretKey}@${host}` };
  const admin = async (...args: string[]) => {
    const own = ['--config-dir', join(dataDir, 'mc'), '--quiet', '--no-color', 'admin', ...args];
    await run(mc, own, { what: `mc admin ${args[0]} ${args[1]}`, log: () => {}, timeoutMs: COMMAND_MS, env });
  };
  return {
    async add(...policies) {
      const fresh = { accessKey: randomBytes(10).toString('hex'), secretKey: randomBytes(20).toString('hex') };
      await admin('user', 'add', ALIAS, fresh.accessKey, fresh.secretKey);
      for (const { name, file } of policies) await admin('policy', 'create', ALIAS, name, file);
      const names = policies.length > 0 ? policies.map(({ name }) => name) : ['readwrite'];
      await admin('policy', 'attach', ALIAS, ...names, '--user', fresh.accessKey);
      return fresh;
    },
    remove: accessKey => admin('user', 'remove', ALIAS, accessKey),
  };
}
