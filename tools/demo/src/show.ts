import type { WebhookSink } from '@recording-request/stack/webhook-sink';
import type { Play } from './play.ts';
import type { TraceReceiver } from './trace-receiver.ts';

/** What every step is given. */
export interface Show {
  /** The gateway's address, without a slash at its end. */
  baseUrl: string;
  /** The owner's token. */
  apiToken: string;
  sink: WebhookSink;
  traces: TraceReceiver;
  /** Where made clips are kept between runs. */
  clipsDir: string;
  /** Where this run leaves what it got. */
  resultsDir: string;
  play: Play;
  /** Fires when the run is stopped or a process that it needs has died. */
  signal: AbortSignal;
}
