/**
 * Shortens the product's durations, so that a run takes a minute instead of hours. A setting that is not listed keeps its
 * default.
 */
export const SHORT: Record<string, string> = {
  // All load comes from one machine, which may be busy; the gateway must not shed it.
  RATE_LIMIT_TOKEN_PER_MINUTE: '1000000',
  RATE_LIMIT_ADDRESS_PER_MINUTE: '1000000',
  RATE_LIMIT_CONTRIBUTOR_PER_MINUTE: '1000000',
  CONNECTIONS_PER_ADDRESS: '1000000',
  EVENT_LOOP_DELAY_LIMIT_MS: '0',
  KAFKA_PARTITIONS: '2',
  // Small parts, so that short clips have several.
  UPLOAD_PART_BYTES: '16384',
  UPLOAD_LEASE_SECONDS: '5',
  UPLOAD_IDLE_SECONDS: '20',
  UPLOAD_HOLD_SECONDS: '900',
  HOLD_RENEW_SECONDS: '10',
  CLAIM_HOLD_SECONDS: '900',
  CLAIM_EMPTY_HOLD_SECONDS: '300',
  CLAIM_SWEEP_SECONDS: '2',
  CLAIM_LEASE_MS: '2000',
  LANDING_LEASE_SECONDS: '5',
  SWEEP_SECONDS: '1',
  UNKNOWN_RETRY_SECONDS: '1',
  STUCK_SECONDS: '45',
  JOB_LEASE_SECONDS: '6',
  MEDIA_JOB_SECONDS: '60',
  MEDIA_SLOTS: '2',
  TRANSCRIPTION_JOB_SECONDS: '90',
  WEBHOOK_RETRY_SCHEDULE_SECONDS: '1,2,3,5',
  WEBHOOK_ATTEMPT_TIMEOUT_MS: '5000',
  WEBHOOK_LEASE_MARGIN_MS: '3000',
  WEBHOOK_POLL_MS: '500',
  WEBHOOK_PAUSED_CHECK_MS: '2000',
};
