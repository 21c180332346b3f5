import type { Time } from './time.ts';

/** The subject of an alert. Users notice a broken promise; the other subjects are causes. */
export type About = 'server' | 'process' | 'promise';

export interface Alert {
  /** Also the name of its runbook, docs/runbooks/NAME.md. */
  name: string;
  about: About;
  /** A page wakes an engineer now; a ticket is read on a working day. */
  severity: 'page' | 'ticket';
  expr: (time: Time) => string;
  /**
   * The condition must hold for this many seconds before the alert fires: at least as long as for the alerts that
   * explain it.
   */
  forSeconds: number;
  /**
   * The minimum of `forSeconds` after the division by a factor, for an alert about an operation that itself takes
   * seconds.
   */
  leastForSeconds?: number;
  /** Replaces KEEP_FIRING and LEAST_KEEP_FIRING. */
  keepFiring?: { seconds: number; least: number };
  /** More labels, which distinguish alerts of one name. */
  labels?: Readonly<Record<string, string>>;
  /** One line for a telephone. */
  summary: string;
  /** The meaning of the alert, and the affected people. */
  description: string;
}

// The additional wait of an explained alert, because the alert that explains it may need a minute to notice the fault.
export const SERVER_WAIT = 15;
export const PROCESS_WAIT = 15;
export const PROMISE_WAIT = 75;
export const TICKET_WAIT = 300;
/**
 * The window (seconds) of the evidence that a promise is broken now. A page about a promise needs such evidence, so
 * the page ends at most this long after the fault.
 */
export const EVIDENCE = 60;
/**
 * An alert about a cause keeps firing for this many seconds after its condition: as long as the evidence of its effects
 * lasts, plus two evaluations. Otherwise, Alertmanager would send the pages about the effects after the recovery.
 */
export const KEEP_FIRING = 90;
/** The minimums of EVIDENCE and KEEP_FIRING (seconds) after the division by a factor: a rate needs two samples. */
export const LEAST_EVIDENCE = 5;
export const LEAST_KEEP_FIRING = 7;

/** Returns a selector of the buckets up to `seconds`. OpenMetrics writes `10.0` for 10. */
export const upTo = (seconds: number): string =>
  Number.isInteger(seconds) ? `le=~"${seconds}(\\\\.0)?"` : `le="${seconds}"`;
