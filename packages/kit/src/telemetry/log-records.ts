import { type Attributes, context, type Logger, logs, SeverityNumber } from '@opentelemetry/api';
import { isTracingSuppressed } from '@opentelemetry/core';
import { isLogged } from './signals.ts';
import { subjectAttributes } from './subject.ts';

const SEVERITY: Record<string, SeverityNumber> = {
  trace: SeverityNumber.TRACE,
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
  fatal: SeverityNumber.FATAL,
};

/** Who emits the records of lines. */
export const LINES = 'recording-request';

/** What a line has beside what becomes an attribute of its name. */
interface Line {
  level: string;
  time: string;
  msg?: string;
  err?: { type?: string; message?: string; stack?: string };
  service?: string;
  trace_id?: string;
  span_id?: string;
  [name: string]: unknown;
}

// Fetched when first used: the SDK has started by then.
let fetched: Logger | undefined;

/** Sends a line of the log, in which secrets are redacted, as a record too, of the trace that is running; nothing while nobody asked for records. */
export function sendLine(text: string): void {
  // What is logged while records are sent would be sent in turn, for ever.
  if (!isLogged() || isTracingSuppressed(context.active())) return;
  const { level, time, msg = '', err, service: _service, trace_id: trace, span_id: _span, ...rest } = parsed(text);
  const { requestId, projectId: _project, submissionId: _submission, uploadId: _upload, ...others } = rest;
  fetched ??= logs.getLogger(LINES);
  fetched.emit({
    timestamp: Date.parse(time),
    severityNumber: SEVERITY[level] ?? SeverityNumber.UNSPECIFIED,
    severityText: level,
    body: msg,
    attributes: {
      ...(others as Attributes),
      // Of a request that is traced, the id of its trace.
      ...(requestId !== undefined && requestId !== trace && { requestId: requestId as string }),
      ...subjectAttributes(rest),
      ...exceptionOf(err),
    },
    context: context.active(),
  });
}

/** A line that is no JSON is no reason for a request to fail: it goes out as a text. */
function parsed(text: string): Line {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return { level: '', time: new Date().toISOString(), msg: text };
  }
}

function exceptionOf(err: Line['err']): Attributes {
  if (typeof err !== 'object' || err === null) return {};
  const { type, message, stack } = err;
  return {
    ...(type !== undefined && { 'exception.type': type }),
    ...(message !== undefined && { 'exception.message': message }),
    ...(stack !== undefined && { 'exception.stacktrace': stack }),
  };
}
