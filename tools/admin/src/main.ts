import { createInterface } from 'node:readline/promises';
import { USAGE_STATUS, UsageError } from '@recording-request/kit/command-line';
import { ConfigError } from '@recording-request/kit/config';
import { DomainError } from '@recording-request/kit/errors';
import { refusalOf } from '@recording-request/kit-rpc/grpc-client';
import { NoAddress, traceUrlOf } from './address.ts';
import { backlog } from './backlog.ts';
import { Stalled } from './backup/progress.ts';
import { check } from './check.ts';
import { connector } from './clients.ts';
import {
  type Command,
  type DeadLettersCommand,
  type EraseCommand,
  parseCommand,
  type UploadsCommand,
  type WebhooksCommand,
} from './command.ts';
import { runDeadLetters } from './dead-letters.ts';
import { helpOn } from './help.ts';
import { retryMedia } from './media.ts';
import { runMigrate } from './migrate.ts';
import { type Resealing, reseal } from './reseal.ts';
import { listProjects, type Report, runCommand } from './run.ts';
import { NotDone, runErase, type Terminal } from './run-erase.ts';
import { showTrace } from './trace.ts';
import { runUploads } from './uploads.ts';
import { usage } from './usage.ts';
import { runWebhooks } from './webhooks.ts';

const UNUSABLE_CONFIGURATION = 78;
// With --deep, a call reads ten videos.
const CHECK_DEADLINE_MS = 30 * 60_000;
// One call of an erasure sends many requests to the object store.
const ERASE_DEADLINE_MS = 5 * 60_000;

async function main(words: string[]): Promise<void> {
  const { command, json, dataDir } = parseCommand(words);
  if (command.name === 'help') {
    process.stdout.write(helpOn(command.topic));
    return;
  }
  const { lines, value, note, failed } = await run(command, dataDir);
  process.stdout.write(`${json ? JSON.stringify(value, null, 2) : lines.join('\n')}\n`);
  if (failed) process.exitCode = 1;
  if (note && !json) process.stderr.write(`${note}\n`);
}

async function run(command: Exclude<Command, { name: 'help' }>, dataDir: string | undefined): Promise<Report> {
  if (command.name === 'migrate') return await runMigrate(process.env, showLine, dataDir);
  // Imports the module only here, because its server clients would slow the start of every other command.
  if (command.name === 'backup')
    return await (await import('./backup/backup.ts')).runBackup(process.env, command, showLine, dataDir);
  if (command.name === 'restore')
    return await (await import('./backup/restore.ts')).runRestore(process.env, command, showLine, dataDir);
  if (command.name === 'doctor')
    return await (await import('./doctor/doctor.ts')).runDoctor(process.env, command, dataDir);
  using clients = new DisposableStack();
  const connect = connector(process.env, clients, dataDir);
  // Awaits here, because the clients close when this block ends.
  if (command.name === 'backlog') return await backlog(await connect.submissions());
  if (command.name === 'trace')
    return await showTrace(await connect.submissions(), command, await traceUrlOf(process.env, dataDir));
  if (command.name === 'check') {
    // A short call first, which fails fast if the service is unavailable. The calls of the check would wait for their
    // long timeout.
    await (await connect.submissions()).getBacklog({ troubledLimit: 1 });
    return await check(await connect.submissions({ deadlineMs: CHECK_DEADLINE_MS }), command, terminal());
  }
  if (command.name === 'reseal') {
    const [projects, webhooks] = [await connect.operator(), await connect.webhooks()];
    const services: Resealing = {
      projects: request => projects.reseal(request),
      webhooks: request => webhooks.resealBodies(request),
    };
    return await reseal(services, command, terminal());
  }
  if (command.name === 'media retry') return await retryMedia(await connect.submissions(), command, terminal());
  if (isWebhooks(command)) return await runWebhooks(await connect.webhooks(), command);
  if (isUploads(command)) return await runUploads(await connect.submissions(), command);
  if (isDeadLetters(command)) return await runDeadLetters(await connect.submissions(), command);
  if (isErase(command)) {
    const options = { deadlineMs: ERASE_DEADLINE_MS };
    const projects = await connect.operator(options);
    const services = {
      projects,
      submissions: await connect.submissions(options),
      webhooks: await connect.webhooks(options),
    };
    return await runErase(services, command, terminal());
  }
  if (command.name === 'usage') return await usage(await connect.operator(), command);
  if (command.name === 'projects list')
    return await listProjects(await connect.accounts(), await connect.projects(), command);
  return await runCommand(await connect.operator(), command);
}

const showLine = (line: string) => void process.stderr.write(`${line}\n`);
const isUploads = (command: Command): command is UploadsCommand => command.name.startsWith('uploads ');
const isWebhooks = (command: Command): command is WebhooksCommand => command.name.startsWith('webhooks ');
const isDeadLetters = (command: Command): command is DeadLettersCommand => command.name.startsWith('dead-letters ');
const isErase = (command: Command): command is EraseCommand => command.name.startsWith('erase ');

function terminal(): Terminal {
  if (!process.stdin.isTTY) return { ask: undefined, show: showLine };
  return {
    show: showLine,
    async ask(question) {
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      const answer = await lines.question(question);
      lines.close();
      return answer;
    },
  };
}

function exitCodeOf(error: Error): number {
  if (error instanceof ConfigError) return UNUSABLE_CONFIGURATION;
  return error instanceof UsageError ? USAGE_STATUS : 1;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const known = [UsageError, NoAddress, NotDone, ConfigError, DomainError].some(kind => error instanceof kind);
  if (!known || !(error instanceof Error)) throw error;
  process.stderr.write(`admin: ${refusalOf(error) ?? error.message}\n`);
  if (error instanceof UsageError) process.stderr.write('"npm run admin -- --help" shows every command.\n');
  process.exitCode = exitCodeOf(error);
  // Exits, because the stalled work would keep the process running.
  if (error instanceof Stalled) process.exit();
}
