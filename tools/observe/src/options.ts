import { FLAG, HELP_FLAG, TEXT } from '@recording-request/harness/options';
import { parseCommandLine } from '@recording-request/kit/command-line';
import { DEFAULT_DATA, portOf } from '@recording-request/stack/start-options';

export interface ObserveOptions {
  /** The port of the page; undefined for 8090 or the next free one. */
  port: number | undefined;
  /** The port of the API; undefined for 8080 or the next free one. */
  apiPort: number | undefined;
  data: string;
  fresh: boolean;
  clips: boolean;
  help: boolean;
}

export const DEFAULT_PORT = 8090;

export const HELP = `npm run observe -- [options]

Starts all of Recording Request like npm start, and an OpenTelemetry Collector, Prometheus, Alertmanager, Zipkin and one page that
shows the newest clips with their traces, alerts with their runbooks, and the dashboards. Records three sample clips. Installs
missing programs on the first run. Runs until Ctrl-C.

  --port N      the port of the page (default: ${DEFAULT_PORT}, or the next free one)
  --api-port N  the port of the API (default: 8080, or the next free one)
  --data DIR    the folder of data, logs and keys between runs (default: .stack, as for npm start)
  --fresh       start without earlier data
  --no-clips    record no sample clips
  --help        print this text
`;

/** Parses the command line. Throws a UsageError. */
export function parseObserveOptions(args: string[]): ObserveOptions {
  const { values } = parseCommandLine({
    ...{ args, allowNegative: true },
    options: {
      ...{ port: TEXT, 'api-port': TEXT, data: { ...TEXT, default: DEFAULT_DATA } },
      ...{ fresh: FLAG, clips: { type: 'boolean', default: true }, help: HELP_FLAG },
    },
  });
  const { 'api-port': apiPort, ...others } = values;
  return { ...others, port: portOf('--port', values.port), apiPort: portOf('--api-port', apiPort) };
}
