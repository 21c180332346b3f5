const USAGE = 2;

/** Prints why a command has failed, with a hint at its help where the command line is the reason, and sets the exit status: 2 then, else 1. */
export function reportFailure(error: unknown): void {
  const { code = '', message = String(error) } = error as NodeJS.ErrnoException;
  // Those of databases and of gRPC are numbers.
  const isUsage = String(code).startsWith('ERR_PARSE_ARGS');
  console.error(isUsage ? `${message}. See --help.` : message);
  process.exitCode = isUsage ? USAGE : 1;
}
