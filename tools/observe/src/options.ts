import { parseCommandLine } from '@recording-request/kit/command-line';
import { parseStartOptions } from '@recording-request/stack/start-options';

export interface ObserveOptions {
  /** Of the page; when undefined, 8090 or the next free one. */
  port: number | undefined;
  /** Of the API; when undefined, 8080 or the next free one. */
  apiPort: number | undefined;
  data: string;
  fresh: boolean;
  clips: boolean;
  help: boolean;
}

export const DEFAULT_PORT = 8090;

export const HELP = `npm run observe -- [options]

Starts the whole of Recording Request as npm start does, and beside it an OpenTelemetry Collector, Prometheus, Alertmanager, Zipkin and
one page that shows them: the newest clips with their traces, alerts with their runbooks, and the dashboards. Records three
clips, so that there is something to look at. Installs what is missing on the first run. Stays until Ctrl-C.

  --port N      the port of the page (default: ${DEFAULT_PORT}, or the next free one)
  --api-port N  the port of the API (default: 8080, or the next free one)
  --data DIR    where data, logs and keys are kept between runs (default: .stack, as for npm start)
  --fresh       begin with no data
  --no-clips    record none
  --help        this text
`;

/** Parses the command line. Throws a UsageError. */
export function parseObserveOptions(args: string[]): ObserveOptions {
  const { values } = parseCommandLine({
    args,
    allowNegative: true,
    options: {
      port: { type: 'string' },
      'api-port': { type: 'string' },
      data: { type: 'string' },
      fresh: { type: 'boolean' },
      clips: { type: 'boolean', default: true },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const start = parseStartOptions([
    ...(values.port === undefined ? [] : ['--port', values.port]),
    ...(values.data === undefined ? [] : ['--data', values.data]),
    ...(values.fresh ? ['--fresh'] : []),
    ...(values.help ? ['--help'] : []),
  ]);
  const api = values['api-port'];
  const { port: apiPort } = parseStartOptions(api === undefined ? [] : ['--port', api]);
  return { ...start, apiPort, clips: values.clips };
}
