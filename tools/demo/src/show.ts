import type { WebhookSink } from '@recording-request/stack/webhook-sink';
import type { Play } from './play.ts';
import type { TraceReceiver } from './trace-receiver.ts';

/** The input of every step of the demo: an installation, its receivers, and the folders of this run. */
export interface Show {
  /** The gateway's base URL, without a trailing slash. */
  baseUrl: string;
  /** The token of an owner without an allowance limit, with every scope. */
  apiToken: string;
  /** The owner's endpoint. The installation can send webhooks to it. */
  sink: Pick<WebhookSink, 'url' | 'events'>;
  /** The receiver of all spans of the services. `traceVariables` makes the services send them. */
  traces: Pick<TraceReceiver, 'spans' | 'bodies'>;
  /** The folder that keeps the clips between runs. */
  clipsDir: string;
  /** The folder for the results of this run. */
  resultsDir: string;
  /** The name of the speech endpoint's model. */
  speechModel: string;
  play: Play;
  /** Fires when the run stops or a process that it needs has ended. */
  signal: AbortSignal;
}
