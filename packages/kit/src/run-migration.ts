import { ConfigError } from './config.ts';

/** Brings a service's database to its schema, with the settings in `env`. Rejects with a sentence. */
export type Migrate = (env: NodeJS.ProcessEnv, report: (line: string) => void) => Promise<void>;

/** How an operator migrates, as a sentence that asks for it has it. */
export const MIGRATE_COMMAND = '"npm run admin -- migrate" (in a container "node tools/admin/src/main.ts migrate")';

const CONFIGURATION = 78;

/** Migrates as a process does: a line for each step, and a sentence and a status other than 0 where it fails. */
export async function runMigration(service: string, migrate: Migrate): Promise<void> {
  try {
    await migrate(process.env, line => process.stdout.write(`${line}\n`));
  } catch (error) {
    process.stderr.write(`${service}: ${(error as Error).message}\n`);
    process.exitCode = error instanceof ConfigError ? CONFIGURATION : 1;
  }
}
