import { createInterface } from 'node:readline/promises';
import { DomainError } from '@recording-request/kit/errors';
import { createClient } from '@recording-request/kit/grpc-client';
import { type AccountsServiceServer, AccountsServiceService } from '@recording-request/proto/accounts/v1/accounts';
import {
  type ProjectsOperatorServiceServer,
  ProjectsOperatorServiceService,
} from '@recording-request/proto/operator/v1/projects';
import {
  type SubmissionsOperatorServiceServer,
  SubmissionsOperatorServiceService,
} from '@recording-request/proto/operator/v1/submissions';
import {
  type WebhooksOperatorServiceServer,
  WebhooksOperatorServiceService,
} from '@recording-request/proto/operator/v1/webhooks';
import { type ProjectsServiceServer, ProjectsServiceService } from '@recording-request/proto/projects/v1/projects';
import { addressOf, NoAddress } from './address.ts';
import { backlog } from './backlog.ts';
import {
  type Command,
  type DeadLettersCommand,
  type EraseCommand,
  parseCommand,
  USAGE,
  UsageError,
} from './command.ts';
import { runDeadLetters } from './dead-letters.ts';
import { listProjects, type Report, runCommand } from './run.ts';
import { NotDone, runErase, type Terminal } from './run-erase.ts';

const USAGE_FAULT = 2;
// A part of an erasure is many requests to the object store.
const ERASE_DEADLINE_MS = 5 * 60_000;

async function main(words: string[]): Promise<void> {
  const { command, json } = parseCommand(words);
  if (command.name === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  const { lines, value } = await run(command);
  process.stdout.write(`${json ? JSON.stringify(value, null, 2) : lines.join('\n')}\n`);
  if (command.name === 'tokens create' && !json) process.stderr.write('This token is shown only now: keep it.\n');
}

async function run(command: Exclude<Command, { name: 'help' }>): Promise<Report> {
  const { env } = process;
  using clients = new DisposableStack();
  const keep = <T extends { close(): void }>(client: T): T => clients.adopt(client, () => client.close());
  if (command.name === 'backlog') {
    const submissions = await addressOf('submissions', env);
    return await backlog(
      keep(createClient<SubmissionsOperatorServiceServer>(SubmissionsOperatorServiceService, submissions)),
    );
  }
  if (isAboutDeadLetters(command)) {
    const address = await addressOf('submissions', env);
    const operator = createClient<SubmissionsOperatorServiceServer>(SubmissionsOperatorServiceService, address);
    return await runDeadLetters(keep(operator), command);
  }
  const projectsAddress = await addressOf('projects', env);
  if (!isErase(command)) {
    // Awaited here: the clients are closed when this block ends.
    if (command.name !== 'projects list') {
      const operator = createClient<ProjectsOperatorServiceServer>(ProjectsOperatorServiceService, projectsAddress);
      return await runCommand(keep(operator), command);
    }
    const accounts = keep(createClient<AccountsServiceServer>(AccountsServiceService, projectsAddress));
    const projects = keep(createClient<ProjectsServiceServer>(ProjectsServiceService, projectsAddress));
    return await listProjects(accounts, projects, command);
  }
  const options = { deadlineMs: ERASE_DEADLINE_MS };
  const submissionsAddress = await addressOf('submissions', env);
  const webhooksAddress = await addressOf('webhooks', env);
  const services = {
    projects: keep(
      createClient<ProjectsOperatorServiceServer>(ProjectsOperatorServiceService, projectsAddress, options),
    ),
    submissions: keep(
      createClient<SubmissionsOperatorServiceServer>(SubmissionsOperatorServiceService, submissionsAddress, options),
    ),
    webhooks: keep(
      createClient<WebhooksOperatorServiceServer>(WebhooksOperatorServiceService, webhooksAddress, options),
    ),
  };
  return await runErase(services, command, terminal());
}

const isAboutDeadLetters = (command: Command): command is DeadLettersCommand =>
  command.name.startsWith('dead-letters ');
const isErase = (command: Command): command is EraseCommand => command.name.startsWith('erase ');

function terminal(): Terminal {
  const show = (line: string) => void process.stderr.write(`${line}\n`);
  if (!process.stdin.isTTY) return { ask: undefined, show };
  return {
    show,
    async ask(question) {
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      const answer = await lines.question(question);
      lines.close();
      return answer;
    },
  };
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const known = [UsageError, NoAddress, NotDone, DomainError].some(kind => error instanceof kind);
  if (!known || !(error instanceof Error)) throw error;
  process.stderr.write(`admin: ${error.message}\n`);
  if (error instanceof UsageError) process.stderr.write('"npm run admin -- --help" shows every command.\n');
  process.exitCode = error instanceof UsageError ? USAGE_FAULT : 1;
}
