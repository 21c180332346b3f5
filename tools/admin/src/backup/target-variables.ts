import { integer, loadConfig } from '@recording-request/kit/config';
import type { Variable } from '@recording-request/kit/variable';
import { type ObjectSettings, objectVariables } from '@recording-request/kit-objects/variables';

const OWN = 'BACKUP_';
const KEYS = /^S3_(ACCESS|SECRET)_KEY(_FILE)?$/;
type OfStore = Omit<typeof objectVariables, 's3Bucket'>;

/**
 * Returns `env` with the S3_… variables of the backup's store. A set BACKUP_S3_… variable replaces the S3_… variable.
 * With BACKUP_S3_ENDPOINT, the backup has another store, so no other S3_… variable applies to it.
 */
function targetEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const set = Object.entries(env).filter(([name, value]) => name.startsWith(`${OWN}S3_`) && value);
  const own = Object.fromEntries(set.map(([name, value]) => [name.slice(OWN.length), value]));
  const hasOwnKeys = Object.keys(own).some(name => KEYS.test(name));
  const isReplaced = (name: string) =>
    name.startsWith('S3_') &&
    (own.S3_ENDPOINT !== undefined ||
      `${name}_FILE` in own ||
      name.replace(/_FILE$/, '') in own ||
      (KEYS.test(name) && own.S3_CREDENTIALS === 'role') ||
      (name === 'S3_CREDENTIALS' && hasOwnKeys));
  const rest = Object.entries(env).filter(([name]) => !isReplaced(name));
  return { ...Object.fromEntries(rest), ...own };
}

/** Returns the variable of the backup's store that corresponds to the variable `of`. */
const forBackup = <T>(of: Variable<T>): Variable<T> => ({
  ...of,
  name: OWN + of.name,
  description: `\`${of.name}\` for the bucket in \`backup --to s3://…\` and \`restore --from s3://…\``,
  unset: `the value of \`${of.name}\``,
  required: false,
  parse(_text, env) {
    const at = targetEnv(env);
    const value = at[of.name] || undefined;
    try {
      if (value === undefined && of.required) throw new Error('is not set');
      return of.parse(value, at);
    } catch (error) {
      throw new Error((error as Error).message.replaceAll(/\bS3_/g, `${OWN}S3_`));
    }
  },
});

const { s3Bucket: _, ...ofStore } = objectVariables;

/** The variables of the bucket of backups; the bucket's name comes from the command line. */
export const targetVariables = Object.fromEntries(
  Object.entries(ofStore).map(([key, of]) => [key, forBackup(of as Variable<unknown>)]),
) as unknown as OfStore;

/** The variables that only `backup` and `restore` read. */
export const variables = {
  ...targetVariables,
  backupStallSeconds: integer(
    'BACKUP_STALL_SECONDS',
    'a backup that reads, copies and deletes nothing for this time fails; its total time is not limited',
    { default: 1_800, min: 900 },
  ),
};

/** Returns whether the backup's bucket is at the product's store, with the same credentials. */
export const isSameStore = (env: NodeJS.ProcessEnv): boolean =>
  !Object.entries(env).some(([name, value]) => name.startsWith(`${OWN}S3_`) && value);

/** Fails with a ConfigError that names the BACKUP_S3_… variables. */
export const targetSettings = (env: NodeJS.ProcessEnv, bucket: string): ObjectSettings => ({
  ...loadConfig(env, targetVariables),
  s3Bucket: bucket,
});

/** Returns the time without progress after which a backup fails, in milliseconds. */
export const stallMsOf = (env: NodeJS.ProcessEnv): number =>
  loadConfig(env, { seconds: variables.backupStallSeconds }).seconds * 1_000;
