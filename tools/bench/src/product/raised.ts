const MANY = '1000000';

/**
 * Variables that raise the limits per client, so that the product refuses no load of the benchmark. All other settings keep
 * their defaults.
 */
export const RAISED = {
  RATE_LIMIT_TOKEN_PER_MINUTE: MANY,
  RATE_LIMIT_ADDRESS_PER_MINUTE: MANY,
  RATE_LIMIT_CONTRIBUTOR_PER_MINUTE: MANY,
  CONNECTIONS_PER_ADDRESS: MANY,
  EVENT_LOOP_DELAY_LIMIT_MS: '0',
};
