import { createRequire } from 'node:module';
import { type Attributes, type Span, SpanKind, trace } from '@opentelemetry/api';
import { endSpan, type SpanEnd, tracer } from '@recording-request/kit-telemetry/end-span';
import { durationOf, secondsSince } from '@recording-request/kit-telemetry/metrics';
import { waitsFor } from '@recording-request/kit-telemetry/peers';
import { type LimitedCommand, limitCommand } from './command-limits.ts';

/** A command. Its first field is its name. */
export interface Command extends LimitedCommand {
  filter?: object;
  query?: object;
  updates?: { q?: object; [field: string]: unknown }[];
  deletes?: { q?: object; [field: string]: unknown }[];
  pipeline?: { $match?: object; [stage: string]: unknown }[];
  [field: string]: unknown;
}

interface Namespace {
  db: string;
}

/** A connection of the driver. */
interface Sender {
  address: string;
  socketTimeoutMS: number;
  command(ns: Namespace, command: Command, options?: { session?: unknown }, type?: unknown): Promise<unknown>;
}

// The commands of the services. All other commands are measured as `_OTHER`.
const OPERATIONS = new Set([
  ...['find', 'getMore', 'aggregate', 'count', 'distinct', 'insert', 'update', 'delete', 'findAndModify'],
  ...['commitTransaction', 'abortTransaction', 'hello'],
]);
const operationDuration = durationOf('db.client.operation.duration');
// Excluded from the durations: a change stream's command waits for a change, so its duration does not show the
// database's speed.
const IDLE = 'getMore';
let isIntercepting = false;
let isWatching = false;

/**
 * Patches `Connection.command` of the MongoDB driver, in all clients of this process, to limit the time of each command
 * that may wait for a lock. No public option does that for every command. The driver's `timeoutMS` has no effect since
 * 7.x, and mongoose's `maxTimeMS` is one constant, only for queries
 * (https://github.com/Automattic/mongoose/issues/12563). Without the limit, 60 updates of a document that an open
 * transaction has locked occupy the whole pool, and a concurrent read gets no connection and fails after 5 s. With the
 * limit, the read returns after 1.1 s.
 *
 * With `watch`, this also measures each command, and makes a span for it within a sampled span. The driver's own events
 * would parse each reply of a cursor a second time: with them, a page of 100 documents takes 740 µs of CPU time;
 * without them, 550 µs (one document: no difference; AMD EPYC).
 */
export function interceptCommands({ watch }: { watch: boolean }): void {
  isWatching ||= watch;
  if (isIntercepting) return;
  isIntercepting = true;
  const require = createRequire(import.meta.resolve('mongoose'));
  const { Connection } = require('mongodb/lib/cmap/connection.js') as { Connection: { prototype: Sender } };
  const { command: send } = Connection.prototype;
  Connection.prototype.command = function (this: Sender, ns, command, options, type) {
    // Commands without a session are the driver's own: handshakes, logins, health checks.
    if (!options?.session) return send.call(this, ns, command, options, type);
    const name = nameOf(command);
    limitCommand(name, command, this.socketTimeoutMS);
    if (!isWatching) return send.call(this, ns, command, options, type);
    return watched(this, ns, { name, command, send: () => send.call(this, ns, command, options, type) });
  };
}

function watched(
  { address }: Sender,
  { db }: Namespace,
  { name, command, send }: { name: string; command: Command; send: () => Promise<unknown> },
): Promise<unknown> {
  const span = trace.getActiveSpan()?.isRecording() ? startSpan(name, address, db, command) : undefined;
  const startedAt = performance.now();
  const over = name === IDLE ? undefined : waitsFor('database', { startedAt });
  const ended = (end?: SpanEnd) => {
    over?.();
    operationDuration(secondsSince(startedAt), {
      'db.operation.name': OPERATIONS.has(name) ? name : '_OTHER',
      ...(end && { 'error.type': 'failed' }),
    });
    if (span) endSpan(span, end);
  };
  const sent = send();
  sent.then(
    () => ended(),
    error => ended(failure(error as Error)),
  );
  return sent;
}

function nameOf(command: Command): string {
  for (const name in command) return name;
  return '_OTHER';
}

function startSpan(name: string, address: string, db: string, command: Command): Span {
  const of = collectionOf(name, command);
  const port = address.lastIndexOf(':');
  const attributes: Attributes = {
    'db.system.name': 'mongodb',
    'db.namespace': db,
    'db.operation.name': name,
    ...(of && { 'db.collection.name': of }),
    'db.query.text': queryFields(command),
    'server.address': address.slice(0, port),
    'server.port': Number(address.slice(port + 1)),
  };
  return tracer.startSpan(`${name} ${of ?? db}`, { kind: SpanKind.CLIENT, attributes });
}

/** Returns the collection of a command; undefined for a command of the whole database. */
function collectionOf(name: string, command: Command): string | undefined {
  const named = typeof command[name] === 'string' ? command[name] : command.collection;
  return typeof named === 'string' ? named : undefined;
}

/** Returns the names of the fields in a command's query. A span contains no values. */
export function queryFields(command: Command): string {
  const filter =
    command.filter ??
    command.query ??
    command.updates?.[0]?.q ??
    command.deletes?.[0]?.q ??
    command.pipeline?.[0]?.$match ??
    {};
  return Object.keys(filter).join(' ');
}

const failure = ({ name, message, code }: Error & { code?: unknown }): SpanEnd => ({
  error: { message },
  attributes: { 'error.type': name, ...(code !== undefined && { 'db.response.status_code': String(code) }) },
});
