import type { WebhookSink } from '@recording-request/stack/webhook-sink';
import type { Play } from './play.ts';
import type { TraceReceiver } from './trace-receiver.ts';

/** The input of every step of the demo: an installation, its receivers, and the folders of this run. */
export interface Show {
  /** The gateway's base URL, without a trailing slash. */
  baseUrl: string;
  /** The token of an owner without an allowance limit, with every scope. */
  apiToken: string;
  /** The owner's endpoint, which the installation can reach with webhooks. */
  sink: Pick<WebhookSink, 'url' | 'events'>;
  /** The receiver of every span of the services (`traceVariables`), under their names. */
  traces: Pick<TraceReceiver, 'spans' | 'bodies'>;
  /** Holds the clips between runs. */
  clipsDir: string;
  /** The folder for the results of this run. */
  resultsDir: string;
  /** The name of the speech endpoint's model. */
  speechModel: string;
  play: Play;
  /** Fires when the run stops or a process that it needs has ended. */
  signal: AbortSignal;
}
