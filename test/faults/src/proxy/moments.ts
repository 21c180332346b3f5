import type { Process } from '../harness/fleet.ts';
import {
  isMongoCommit,
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
 * Calls `then` when MongoDB has acknowledged a write to one of these collections, before the process gets the
 * acknowledgement: the write is committed, but no later step has run. Skips the first `skip` writes.
 */
export function onCommit(process: Process, collections: string[], skip: number, then: () => void): void {
  const isWrite = (request: Buffer) => {
    const command = mongoCommand(request);
    return command !== undefined && WRITES.has(command.name) && collections.includes(command.collection);
  };
  once(process.proxies.to.mongo, {
    isRequest: isWrite,
    requestId: mongoRequestId,
    answerTo: mongoAnswerTo,
    skip,
    then,
  });
}

/**
 * Calls `then` when MongoDB has committed a transaction, before the process knows it. Skips the first `skip`
 * transactions.
 */
export function onTransaction(process: Process, skip: number, then: () => void): void {
  once(process.proxies.to.mongo, {
    isRequest: isMongoCommit,
    requestId: mongoRequestId,
    answerTo: mongoAnswerTo,
    skip,
    then,
  });
}

/**
 * Calls `then` when Kafka has acknowledged a produce request, before the process gets the acknowledgement. Skips the
 * first `skip` requests.
 */
export function onPublished(process: Process, skip: number, then: () => void): void {
  const isProduce = (request: Buffer) => request.length >= 12 && kafkaApiKey(request) === KAFKA_PRODUCE;
  once(process.proxies.to.kafka, {
    isRequest: isProduce,
    requestId: kafkaRequestId,
    answerTo: kafkaAnswerTo,
    skip,
    then,
  });
}

interface Moment {
  isRequest(request: Buffer): boolean;
  requestId(request: Buffer): number;
  answerTo(answer: Buffer): number;
  skip: number;
  then: () => void;
}

function once(proxies: FaultProxy[], moment: Moment): void {
  let left = moment.skip;
  const removeTaps = () => {
    for (const proxy of proxies) proxy.tap(undefined);
  };
  for (const proxy of proxies) {
    // Request numbers are unique only within a connection.
    const open = new Set<string>();
    const tap: Tap = (frame, direction, connection) => {
      if (direction === 'request') {
        if (moment.isRequest(frame)) open.add(`${connection} ${moment.requestId(frame)}`);
      } else if (open.delete(`${connection} ${moment.answerTo(frame)}`) && left-- <= 0) {
        removeTaps();
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
