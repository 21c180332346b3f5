import type { Time } from './time.ts';

/** What an alert is about; promises are what people notice, and the others cause that. */
export type About = 'server' | 'process' | 'promise';

export interface Alert {
  /** Also that of its runbook, docs/runbooks/NAME.md. */
  name: string;
  about: About;
  /** A page wakes somebody now; a ticket is read on a working day. */
  severity: 'page' | 'ticket';
  expr: (time: Time) => string;
  /** Seconds that it holds before it fires; not less than those of what explains it. */
  forSeconds: number;
  /** The least of these under a factor, where what it watches takes seconds itself. */
  leastForSeconds?: number;
  /** Seconds that it goes on after it no longer holds: what is away is asked more and more seldom. */
  keepSeconds?: number;
  /** More labels, which tell alerts of one name apart. */
  labels?: Readonly<Record<string, string>>;
  /** One line for a telephone. */
  summary: string;
  /** What it means, and for whom. */
  description: string;
}

// What may be explained by another waits at least as long as that.
export const SERVER_WAIT = 10;
export const PROCESS_WAIT = 60;
export const PROMISE_WAIT = 120;
export const TICKET_WAIT = 300;
// A page about a promise looks back for half an hour of rates over five minutes: what explains it has to go on for longer, or the page
// would come once all is well.
export const KEPT = 2_400;

/** A selector of the buckets up to `seconds`. OpenMetrics writes `10.0` for 10. */
export const upTo = (seconds: number): string =>
  Number.isInteger(seconds) ? `le=~"${seconds}(\\\\.0)?"` : `le="${seconds}"`;
