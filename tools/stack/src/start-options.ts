import { parseCommandLine, UsageError } from '@recording-request/kit/command-line';

export interface StartOptions {
  /** The requested port; when undefined, 8080 or the next free one. */
  port: number | undefined;
  data: string;
  fresh: boolean;
  help: boolean;
}

export const DEFAULT_PORT = 8080;
export const DEFAULT_DATA = '.stack';

export const HELP = `npm start -- [options]

Starts the whole of Recording Request on this machine: MongoDB, Kafka, an S3 store, a speech-to-text server and the six
services. Installs what is missing on the first run. Stays until Ctrl-C, or kill -TERM $(cat DIR/lock), which stops it in
the background as well.

  --port N     the port of the API and the pages (default: ${DEFAULT_PORT}, or the next free one)
  --data DIR   where data, logs and keys are kept between runs (default: ${DEFAULT_DATA})
  --fresh      begin with no data
  --help       this text

Writes DIR/ready.json when everything answers. Variables: see tools/stack/README.md.
`;

/** Parses the command line. Throws a UsageError. */
export function parseStartOptions(args: string[]): StartOptions {
  const { values } = parseCommandLine({
    args,
    options: {
      port: { type: 'string' },
      data: { type: 'string', default: DEFAULT_DATA },
      fresh: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const port = values.port === undefined ? undefined : Number(values.port);
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536 && /^\d+$/.test(values.port!)))
    throw new UsageError(`--port takes a number from 1 to 65535, not "${values.port}".`);
  if (!values.data) throw new UsageError('--data takes a folder.');
  return { port, data: values.data, fresh: values.fresh, help: values.help };
}
