import { DomainError } from '@recording-request/kit/errors';
import { createClient } from '@recording-request/kit/grpc-client';
import { type AccountsServiceServer, AccountsServiceService } from '@recording-request/proto/accounts/v1/accounts';
import { NoAddress, projectsAddress } from './address.ts';
import { parseCommand, USAGE, UsageError } from './command.ts';
import { runCommand } from './run.ts';

const USAGE_FAULT = 2;

async function main(words: string[]): Promise<void> {
  const { command, json } = parseCommand(words);
  if (command.name === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  const accounts = createClient<AccountsServiceServer>(AccountsServiceService, await projectsAddress(process.env));
  try {
    const { lines, value } = await runCommand(accounts, command);
    process.stdout.write(`${json ? JSON.stringify(value, null, 2) : lines.join('\n')}\n`);
    if (command.name === 'tokens create' && !json) process.stderr.write('This token is shown only now: keep it.\n');
  } finally {
    accounts.close();
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const known = error instanceof UsageError || error instanceof NoAddress || error instanceof DomainError;
  if (!known) throw error;
  process.stderr.write(`admin: ${error.message}\n`);
  if (error instanceof UsageError) process.stderr.write('"npm run admin -- --help" shows every command.\n');
  process.exitCode = error instanceof UsageError ? USAGE_FAULT : 1;
}
