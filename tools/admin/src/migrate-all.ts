import { fileURLToPath } from 'node:url';
import type { Migrate } from '@recording-request/kit/run-migration';

const SERVICES = new URL('../../../services/', import.meta.url);

/** The services with a database. */
const WITH_DATABASE = ['projects', 'submissions', 'webhooks'] as const;

/**
 * Runs the migration of every service, one after the other, with the variables in `env`. Rejects with a sentence, where one
 * fails; those before it are done, and the next run goes on.
 */
export async function migrateAll(env: NodeJS.ProcessEnv, report: (line: string) => void): Promise<void> {
  for (const service of WITH_DATABASE) {
    const { migrate } = (await import(fileURLToPath(new URL(`${service}/src/migrate.ts`, SERVICES)))) as {
      migrate: Migrate;
    };
    await migrate(env, report);
  }
}
