import type { Logger } from '@recording-request/kit/log';
import { type LogEntry, logLevel } from 'kafkajs';

// kafkajs retries or throws each error that it logs. The code that catches a thrown error logs it.
const LEVELS = { [logLevel.ERROR]: 'warn', [logLevel.WARN]: 'warn', [logLevel.INFO]: 'debug' } as const;
/**
 * Matches the answers that group members get when a member joins or leaves. kafkajs logs these answers as errors, but
 * they are normal.
 */
const REBALANCE = /rebalanc|not aware of this member/i;

/** Returns a log creator for kafkajs that writes to `log`. */
export const kafkaLog =
  (log: Logger) =>
  () =>
  ({ level, log: { message, timestamp: _, ...details } }: LogEntry): void => {
    const isRebalance = REBALANCE.test(message) || REBALANCE.test(String(details.error ?? ''));
    const own = isRebalance ? 'debug' : (LEVELS[level as keyof typeof LEVELS] ?? 'debug');
    log[own]({ kafka: details }, message);
  };
