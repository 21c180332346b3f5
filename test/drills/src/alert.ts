/** The alert that a fault must fire, with these labels. The fault must fire no other page. */
export interface Expectation {
  alert: string;
  /** A page needs action now; a ticket can wait for a working day. */
  severity: 'page' | 'ticket';
  /** The labels that name the broken part, if the alert has them. */
  labels?: Record<string, RegExp>;
}

/**
 * A notification from Alertmanager about a firing alert. Alertmanager sends none about an alert that another alert
 * explains.
 */
export interface Sent {
  alert: string;
  severity: string;
  labels: Record<string, string>;
  /** By Date.now(). */
  at: number;
}
