/** A metric of metrics.ts. */
export interface MetricDefinition {
  kind: 'histogram' | 'counter' | 'gauge';
  /** In UCUM: `s`, `1`, `{event}`. */
  unit: string;
  description: string;
  /** The values of each attribute, or their bounds. */
  attributes: Readonly<Record<string, string>>;
  /** The upper bounds of a histogram's buckets, in its unit. */
  buckets?: readonly number[];
  /** Attributes that may be absent. */
  optional?: readonly string[];
}

/** The meter of our own metrics; libraries have other meters. */
export const METER = 'recording-request';

// Buckets for requests and calls, for steps of a clip's pipeline, and for seconds of work per second of clip.
export const CALL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] as const;
export const STEP_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600, 21_600] as const;
export const RATIOS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16] as const;

export const OUTCOME = { 'recording.outcome': '`ok`, `failed`' } as const;
export const TOPIC = {
  'messaging.destination.name': 'the topics, with the prefix of the installation',
} as const;
export const GROUP = {
  'messaging.consumer.group.name': 'the consumer groups, with the prefix of the installation',
} as const;
