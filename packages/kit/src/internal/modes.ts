/**
 * What INTERNAL_PLAINTEXT may be. `false`: TLS alone. `true`: plaintext alone. On the way from the one to the other listeners take
 * both; `send` still calls in plaintext, `accept` calls over TLS.
 */
export const PLAINTEXT_MODES = ['false', 'true', 'send', 'accept'] as const;
export type PlaintextMode = (typeof PLAINTEXT_MODES)[number];
