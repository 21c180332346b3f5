import { ConfigError } from './config.ts';

/** Migrates a service's database, with the settings in `env`. The error's message is for the operator. */
export type Migrate = (env: NodeJS.ProcessEnv, report: (line: string) => void) => Promise<void>;

/** The command that migrates, for messages. */
export const MIGRATE_COMMAND = '"npm run admin -- migrate" (in a container "node tools/admin/src/main.ts migrate")';

const CONFIGURATION = 78;

/** Migrates as a command: prints a line for each step; on failure prints the message and sets the exit status. */
export async function runMigration(service: string, migrate: Migrate): Promise<void> {
  try {
    await migrate(process.env, line => process.stdout.write(`${line}\n`));
  } catch (error) {
    process.stderr.write(`${service}: ${(error as Error).message}\n`);
    process.exitCode = error instanceof ConfigError ? CONFIGURATION : 1;
  }
}
