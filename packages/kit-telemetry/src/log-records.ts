import { type Attributes, type AttributeValue, context, logs, SeverityNumber } from '@opentelemetry/api';
import { isTracingSuppressed } from '@opentelemetry/core';
import { SUBJECT_FIELDS, subjectAttributes } from './subject.ts';

const SEVERITY: Record<string, SeverityNumber> = {
  trace: SeverityNumber.TRACE,
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
  fatal: SeverityNumber.FATAL,
};

/** The name of the logger that emits our own lines. */
export const LINES = 'recording-request';

/** A line of the log. Its other fields become attributes of the same name. */
interface Line {
  level: string;
  time: string;
  msg?: string;
  err?: { type?: string; message?: string; stack?: string };
  requestId?: string;
  trace_id?: string;
  [name: string]: unknown;
}

// These fields do not become attributes, because a record has them under other names.
const NO_ATTRIBUTES = new Set(['level', 'time', 'msg', 'err', 'service', 'trace_id', 'span_id', 'requestId']);
for (const name of SUBJECT_FIELDS) NO_ATTRIBUTES.add(name);

const logger = logs.getLogger(LINES);

/** Sends a redacted line of the log as a record of the running trace. */
export function sendLine(text: string): void {
  const running = context.active();
  // Ignores lines that the sending of records logs: each would cause another record, without end.
  if (isTracingSuppressed(running)) return;
  const line = parsed(text);
  logger.emit({
    timestamp: Date.parse(line.time),
    severityNumber: SEVERITY[line.level] ?? SeverityNumber.UNSPECIFIED,
    severityText: line.level,
    body: line.msg ?? '',
    attributes: attributesOf(line),
    context: running,
  });
}

function attributesOf(line: Line): Attributes {
  const attributes = subjectAttributes(line);
  for (const name in line) if (!NO_ATTRIBUTES.has(name)) attributes[name] = line[name] as AttributeValue;
  // A traced request uses its trace id as request id, so its records need no second attribute.
  if (line.requestId !== undefined && line.requestId !== line.trace_id) attributes.requestId = line.requestId;
  return line.err === undefined ? attributes : Object.assign(attributes, exceptionOf(line.err));
}

/** A line that is not JSON must not fail a request, so it becomes a text. */
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
