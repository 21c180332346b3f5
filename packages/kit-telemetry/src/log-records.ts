import { type Attributes, type AttributeValue, context, type Logger, logs, SeverityNumber } from '@opentelemetry/api';
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

/** Who emits the records of lines. */
export const LINES = 'recording-request';

/** What a line has beside what becomes an attribute of its name. */
interface Line {
  level: string;
  time: string;
  msg?: string;
  err?: { type?: string; message?: string; stack?: string };
  requestId?: string;
  trace_id?: string;
  [name: string]: unknown;
}

// What a record has of its own, or by another name.
const NO_ATTRIBUTES = new Set(['level', 'time', 'msg', 'err', 'service', 'trace_id', 'span_id', 'requestId']);
for (const name of SUBJECT_FIELDS) NO_ATTRIBUTES.add(name);

// Fetched when first used: the SDK has started by then.
let fetched: Logger | undefined;

/** Sends a line of the log, in which secrets are redacted, as a record too, of the trace that is running. */
export function sendLine(text: string): void {
  const running = context.active();
  // What is logged while records are sent would be sent in turn, for ever.
  if (isTracingSuppressed(running)) return;
  const line = parsed(text);
  fetched ??= logs.getLogger(LINES);
  fetched.emit({
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
  // Of a request that is traced, the id of its trace.
  if (line.requestId !== undefined && line.requestId !== line.trace_id) attributes.requestId = line.requestId;
  return line.err === undefined ? attributes : Object.assign(attributes, exceptionOf(line.err));
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
