const MANY = '1000000';

/** Variables of the product under which nothing is refused because one client asks for much. Everything else is as it ships. */
export const RAISED = {
  RATE_LIMIT_TOKEN_PER_MINUTE: MANY,
  RATE_LIMIT_ADDRESS_PER_MINUTE: MANY,
  RATE_LIMIT_CONTRIBUTOR_PER_MINUTE: MANY,
  CONNECTIONS_PER_ADDRESS: MANY,
  EVENT_LOOP_DELAY_LIMIT_MS: '0',
};
