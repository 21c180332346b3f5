import type { Process } from '../harness/fleet.ts';
import {
  KAFKA_PRODUCE,
  kafkaAnswerTo,
  kafkaApiKey,
  kafkaRequestId,
  mongoAnswerTo,
  mongoCommand,
  mongoRequestId,
} from './frames.ts';
import type { FaultProxy, Tap } from './proxy.ts';

const WRITES = new Set(['insert', 'update', 'findAndModify', 'delete']);

/**
 * Calls `then` when MongoDB has acknowledged a write to one of these collections, after `skip` others, and before the
 * process sees the answer: the commit is done, and nothing that follows it.
 */
export function onCommit(process: Process, collections: string[], skip: number, then: () => void): void {
  const isWrite = (request: Buffer) => {
    const command = mongoCommand(request);
    return command !== undefined && WRITES.has(command.name) && collections.includes(command.collection);
  };
  once(process.proxies.to.mongo, { isAsked: isWrite, asked: mongoRequestId, answered: mongoAnswerTo, skip, then });
}

/** Calls `then` when Kafka has acknowledged a produce request, after `skip` others, and before the process sees the answer: published, and not marked. */
export function onPublished(process: Process, skip: number, then: () => void): void {
  const isProduce = (request: Buffer) => request.length >= 12 && kafkaApiKey(request) === KAFKA_PRODUCE;
  once(process.proxies.to.kafka, { isAsked: isProduce, asked: kafkaRequestId, answered: kafkaAnswerTo, skip, then });
}

interface Moment {
  isAsked(request: Buffer): boolean;
  asked(request: Buffer): number;
  answered(answer: Buffer): number;
  skip: number;
  then: () => void;
}

function once(proxies: FaultProxy[], moment: Moment): void {
  let left = moment.skip;
  const takeOff = () => {
    for (const proxy of proxies) proxy.tap(undefined);
  };
  for (const proxy of proxies) {
    // Request numbers are unique per connection only.
    const open = new Set<string>();
    const tap: Tap = (frame, direction, connection) => {
      if (direction === 'request') {
        if (moment.isAsked(frame)) open.add(`${connection} ${moment.asked(frame)}`);
      } else if (open.delete(`${connection} ${moment.answered(frame)}`) && left-- <= 0) {
        takeOff();
        moment.then();
      }
    };
    proxy.tap(tap);
  }
}

/** Removes the taps of `onCommit` and `onPublished` that have not fired. */
export function forgetMoments(process: Process): void {
  for (const proxy of [...process.proxies.to.mongo, ...process.proxies.to.kafka]) proxy.tap(undefined);
}
