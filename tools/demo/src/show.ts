import type { WebhookSink } from '@recording-request/stack/webhook-sink';
import type { Play } from './play.ts';
import type { TraceReceiver } from './trace-receiver.ts';

/** What every step of the demo is given. */
export interface Show {
  /** The gateway's base URL, without a trailing slash. */
  baseUrl: string;
  /** The owner's token. */
  apiToken: string;
  sink: WebhookSink;
  traces: TraceReceiver;
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
