import type { Logger } from '@recording-request/kit/log';
import { type LogEntry, logLevel } from 'kafkajs';

// What it calls an error it tries again, or throws: what cannot be mended is logged by who catches it.
const LEVELS = { [logLevel.ERROR]: 'warn', [logLevel.WARN]: 'warn', [logLevel.INFO]: 'debug' } as const;
/** What members of a group are told whenever one comes or goes, as in each rollout: no error, though kafkajs says so. */
const REBALANCE = /rebalanc|not aware of this member/i;

/** Returns where kafkajs writes its lines. */
export const kafkaLog =
  (log: Logger) =>
  () =>
  ({ level, log: { message, timestamp: _, ...details } }: LogEntry): void => {
    const isRebalance = REBALANCE.test(message) || REBALANCE.test(String(details.error ?? ''));
    const own = isRebalance ? 'debug' : (LEVELS[level as keyof typeof LEVELS] ?? 'debug');
    log[own]({ kafka: details }, message);
  };
