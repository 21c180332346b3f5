import type { WebhookSink } from '@recording-request/stack/webhook-sink';
import type { Play } from './play.ts';
import type { TraceReceiver } from './trace-receiver.ts';

/** What every step of the demo is given: an installation, what it sends to, and the folders of this run. */
export interface Show {
  /** The gateway's base URL, without a trailing slash. */
  baseUrl: string;
  /** The token of an owner without an allowance limit, with every scope. */
  apiToken: string;
  /** The owner's endpoint, at an address to which the installation sends webhooks. */
  sink: Pick<WebhookSink, 'url' | 'events'>;
  /** What receives every span of the services (`traceVariables`), under their names. */
  traces: Pick<TraceReceiver, 'spans' | 'bodies'>;
  /** Holds the clips between runs. */
  clipsDir: string;
  /** The folder for the results of this run. */
  resultsDir: string;
  /** The name of the speech endpoint's model. */
  speechModel: string;
  play: Play;
  /** Fires when the run is stopped or a process that it needs has died. */
  signal: AbortSignal;
}
