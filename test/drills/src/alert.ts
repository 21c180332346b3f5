/** What a fault must fire: this alert, with these labels, and no other page. */
export interface Expectation {
  alert: string;
  /** A page wakes somebody; a ticket waits for the morning. */
  severity: 'page' | 'ticket';
  /** Those that name what is broken, where the alert has such. */
  labels?: Record<string, RegExp>;
}

/** A notification that Alertmanager sent about one alert that fires: what is explained by another is not sent. */
export interface Sent {
  alert: string;
  severity: string;
  labels: Record<string, string>;
  /** By Date.now(). */
  at: number;
}
