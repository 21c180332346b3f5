import { type Context, helpOf, parse } from './command.ts';
import { type COMMANDS, find } from './commands.ts';
import { clientOf, credentials } from './config.ts';
import { EXIT, reportOf, UsageFailure } from './failures.ts';
import { createOutput, jsonOf, type Output } from './output.ts';
import { VERSION } from './version.ts';

/** Runs one command line. Resolves to its exit code; failures are printed. */
export async function run(argv: string[], env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<number> {
  const out = createOutput(argv.includes('--json'), env);
  try {
    return await runCommand(argv, env, signal, out);
  } catch (error) {
    if (signal.aborted) {
      out.note('Stopped.');
      return EXIT.failure;
    }
    return fail(error, out, find(argv));
  }
}

async function runCommand(argv: string[], env: NodeJS.ProcessEnv, signal: AbortSignal, out: Output): Promise<number> {
  if (argv.length === 1 && argv[0] === '--version') {
    out.result({ version: VERSION }, VERSION);
    return 0;
  }
  const found = find(argv);
  if (found.kind === 'overview') {
    process.stdout.write(overview(found.commands, found.prefix));
    return 0;
  }
  if (found.kind === 'unknown') throw new UsageFailure(found.sentence);
  const { args, flags, isHelp } = parse(found.command, found.rest);
  if (isHelp) {
    process.stdout.write(helpOf(found.command));
    return 0;
  }
  const context: Context = {
    ...{ out, signal, env },
    async client() {
      const { baseUrl, token } = await credentials(env);
      return clientOf(baseUrl, token);
    },
  };
  return (await found.command.run({ args, flags }, context)) ?? 0;
}

/** Prints a failure and returns its exit code. */
function fail(error: unknown, out: Output, found: ReturnType<typeof find>): number {
  const addressFrom = found.kind === 'command' ? found.command.addressFrom : undefined;
  const { exitCode, sentence, details, code, requestId } = reportOf(error, addressFrom);
  if (out.isJson) out.note(jsonOf({ error: sentence, exitCode, code, requestId, details }));
  else for (const line of [`rr: ${sentence}`, ...details]) out.note(line);
  return exitCode;
}

/** Returns the help that lists commands. */
function overview(commands: typeof COMMANDS, prefix: string): string {
  const rows = commands.map(({ name, args, summary }) => [[name, ...args].join(' '), summary] as const);
  const width = Math.max(...rows.map(([left]) => left.length));
  const lines = rows.map(([left, summary]) => `  rr ${left.padEnd(width)}  ${summary}`);
  const rest =
    prefix === ''
      ? `
rr COMMAND --help explains a command. --json prints JSON. rr --version prints the version.

RR_BASE_URL, RR_TOKEN  the address and the token; they override those of rr login
RR_WEBHOOK_SECRET      the secret with which rr listen signs
NO_COLOR               prints without colours

Exit codes: 0 done, 1 failed, 2 wrong arguments, 3 no access, 4 not found, 5 refused data, 6 no connection or the
service failed, 7 a problem with local files, 130 stopped by Ctrl-C.
`
      : '';
  return `rr: the command line of Recording Request\n\n${lines.join('\n')}\n${rest}`;
}
