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
import type { Tap, WireProxy } from './proxy.ts';

const WRITES = new Set(['insert', 'update', 'findAndModify', 'delete']);

/**
 * Calls `then` when MongoDB has acknowledged the n-th write to one of these collections (`skip` = n), before the process
 * hears of it: the commit is there, and nothing that follows it.
 */
export function onCommit(process: Process, collections: string[], skip: number, then: () => void): void {
  const isWrite = (request: Buffer) => {
    const command = mongoCommand(request);
    return command !== undefined && WRITES.has(command.name) && collections.includes(command.collection);
  };
  once(process.wires.to.mongo, { isAsked: isWrite, asked: mongoRequestId, answered: mongoAnswerTo, skip, then });
}

/** Calls `then` when Kafka has acknowledged the n-th produce request, before the process hears of it: published, and not marked. */
export function onPublished(process: Process, skip: number, then: () => void): void {
  const isProduce = (request: Buffer) => request.length >= 12 && kafkaApiKey(request) === KAFKA_PRODUCE;
  once(process.wires.to.kafka, { isAsked: isProduce, asked: kafkaRequestId, answered: kafkaAnswerTo, skip, then });
}

interface Moment {
  isAsked(request: Buffer): boolean;
  asked(request: Buffer): number;
  answered(answer: Buffer): number;
  skip: number;
  then: () => void;
}

function once(wires: WireProxy[], moment: Moment): void {
  let left = moment.skip;
  const takeOff = () => {
    for (const wire of wires) wire.tap(undefined);
  };
  for (const wire of wires) {
    // Requests are numbered on each connection by itself.
    const open = new Set<string>();
    const tap: Tap = (frame, direction, connection) => {
      if (direction === 'request') {
        if (moment.isAsked(frame)) open.add(`${connection} ${moment.asked(frame)}`);
      } else if (open.delete(`${connection} ${moment.answered(frame)}`) && left-- <= 0) {
        takeOff();
        moment.then();
      }
    };
    wire.tap(tap);
  }
}

/** Takes off what `onCommit` and `onPublished` put on and what has not come. */
export function forgetMoments(process: Process): void {
  for (const wire of [...process.wires.to.mongo, ...process.wires.to.kafka]) wire.tap(undefined);
}
