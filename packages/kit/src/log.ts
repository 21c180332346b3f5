import { trace } from '@opentelemetry/api';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { logLines } from './log-lines.ts';
import { redact } from './redact.ts';

export type { Logger };

// One stream for all loggers of a process, so that lines keep their order.
let stdout: DestinationStream | undefined;
let send: ((line: string) => void) | undefined;

/** Telemetry calls this if OTEL_… variables ask for log records. `sendLine` then gets each line. */
export function sendLinesTo(sendLine: (line: string) => void): void {
  send = sendLine;
}

/** Returns a logger that writes JSON lines to stdout, each with its trace ids; tokens are redacted. */
export function createLogger(service: string, level: string): Logger {
  const options: LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: label => ({ level: label }) },
    mixin() {
      const span = trace.getActiveSpan()?.spanContext();
      return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
    },
    hooks: {
      streamWrite(line) {
        const text = redact(line);
        send?.(text);
        return text;
      },
    },
  };
  stdout ??= logLines();
  return pino(options, stdout);
}
