import { USAGE_STATUS, UsageError } from '@recording-request/kit/command-line';

/** Prints why a command has failed, and sets the exit status: 2 where the command line is the reason, else 1. */
export function reportFailure(error: unknown): void {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof UsageError ? USAGE_STATUS : 1;
}
