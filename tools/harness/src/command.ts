import { constants } from 'node:os';
import { USAGE_STATUS, UsageError } from '@recording-request/kit/command-line';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Command<T extends { help?: boolean | undefined }> {
  help: string;
  /** Throws a UsageError with a sentence for the user. */
  parse(args: string[]): T;
  /**
   * Resolves to the exit status, 0 by default. `signal` aborts when the user stops the command; a rejection after that
   * is not a failure.
   */
  run(options: T, signal: AbortSignal): Promise<number | undefined> | Promise<void>;
}

export const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Prints a line of progress to stderr, because a program may read the result from stdout. */
export const progress = (line: string): void => void process.stderr.write(`${line}\n`);

/**
 * Runs a command and exits: with the status of `run`; with 2 when the arguments are wrong; with 128 + N when signal N
 * stopped it; otherwise with 1 and the message of the error.
 */
export async function runCommand<T extends { help?: boolean | undefined }>(command: Command<T>): Promise<never> {
  const stop = stopSignal();
  try {
    const options = command.parse(process.argv.slice(2));
    if (options.help) process.stdout.write(command.help);
    process.exitCode = options.help ? 0 : ((await command.run(options, stop.signal)) ?? 0);
  } catch (error) {
    if (stop.name) process.exitCode = 128 + constants.signals[stop.name];
    else reportFailure(error);
  }
  // Exits explicitly, because an abandoned operation may keep the process alive.
  process.exit();
}

/** Prints the cause of a failure, and sets the exit status. */
export function reportFailure(error: unknown): void {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof UsageError ? USAGE_STATUS : 1;
}

function stopSignal(): { signal: AbortSignal; name?: NodeJS.Signals } {
  const controller = new AbortController();
  const stop: { signal: AbortSignal; name?: NodeJS.Signals } = { signal: controller.signal };
  for (const name of STOP_SIGNALS)
    process.on(name, () => {
      // Ctrl-C sends a signal from the terminal, and npm sends a second signal. The second signal must not interrupt
      // the clean-up.
      if (stop.name) return;
      stop.name = name;
      progress(`${name}: stopping …`);
      // Ignores the failure of an abandoned operation, whose servers have ended.
      process.on('unhandledRejection', () => {});
      controller.abort(new Error(`stopped by ${name}`));
    });
  return stop;
}
