/**
 * Preloaded into a process of the previous version: makes it forget the event kinds in FORGET_EVENTS. The process then
 * decodes them without a payload, as protobuf decodes unknown kinds of a later version.
 */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

type Decoded = { payload?: { $case: string } | undefined };
type Events = { Event: { decode(...args: unknown[]): Decoded } };

const forgotten = (process.env.FORGET_EVENTS ?? '').split(',');
const module = realpathSync(join(process.cwd(), 'proto/gen/recording/events/v1/events.ts'));
const { Event } = (await import(pathToFileURL(module).href)) as Events;
const decode = Event.decode.bind(Event);
Event.decode = (...args) => {
  const event = decode(...args);
  return forgotten.includes(event.payload?.$case ?? '') ? { ...event, payload: undefined } : event;
};
