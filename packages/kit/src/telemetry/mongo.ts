import { createNoopMeter } from '@opentelemetry/api';
import { MongoDBInstrumentation } from '@opentelemetry/instrumentation-mongodb';

/** Returns what makes a span of each MongoDB command that is a part of something. */
export const mongoSpans = (): MongoDBInstrumentation =>
  new MongoDBInstrumentation({ requireParentSpan: true, dbStatementSerializer: askedFields });

/** Has it count no connections, once the SDK has started: the views drop what it counts, after each command paid for it twice. */
export function withoutMetrics(instrumentation: MongoDBInstrumentation): void {
  instrumentation.setMeterProvider({ getMeter: () => createNoopMeter() });
}

export interface Command {
  filter?: object;
  query?: object;
  updates?: { q?: object }[];
  deletes?: { q?: object }[];
  pipeline?: { $match?: object }[];
}

/**
 * Returns the names of the fields that a command asks for, which tell its query from others. By default it would be the whole
 * command as JSON, with everything that is written in it, for each command.
 */
export function askedFields(command: Command): string {
  const filter =
    command.filter ??
    command.query ??
    command.updates?.[0]?.q ??
    command.deletes?.[0]?.q ??
    command.pipeline?.[0]?.$match ??
    {};
  return Object.keys(filter).join(' ');
}
