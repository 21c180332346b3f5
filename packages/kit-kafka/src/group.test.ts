import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { mock, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createLogger } from '@recording-request/kit/log';
import { until } from '@recording-request/testing/wait';
import type { Kafka } from 'kafkajs';
import { joinGroup } from './group.ts';

/** A kafkajs consumer whose join waits forever: it has no heartbeats and never disconnects. */
class SilentMember extends EventEmitter {
  readonly events = { CRASH: 'crash', GROUP_JOIN: 'join', HEARTBEAT: 'heartbeat' };
  async connect() {}
  async subscribe() {}
  async run(): Promise<void> {
    this.share(0);
  }
  resume() {}
  disconnect = () => new Promise<void>(() => {});
  share(partition: number) {
    this.emit('join', { payload: { memberAssignment: { topic: [partition] } } });
  }
}

const seconds = async (count: number) => {
  for (let second = 0; second < count; second += 1) {
    mock.timers.tick(1_000);
    await setImmediate();
  }
};

test('a member without heartbeats is replaced, and its later events are ignored', async () => {
  mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const members: SilentMember[] = [];
  const client = { consumer: () => members[members.push(new SilentMember()) - 1] } as unknown as Kafka;
  const assigned: number[][] = [];
  const listener = {
    onAssigned: (partitions: ReadonlySet<number>) => void assigned.push([...partitions]),
    onBatch: () => true,
  };
  const log = createLogger('kit', 'silent');
  const member = await joinGroup({ client, topic: 'topic', group: 'group', log }, listener);
  for (let again = 0; again < 4; again += 1) {
    await seconds(20);
    members[0]!.emit('heartbeat');
  }
  assert.equal(members.length, 1, 'a member with heartbeats stays');
  await seconds(60);
  await until('another consumer replaces it', async () => members.length === 2);
  members[0]!.share(5);
  assert.deepEqual(assigned, [[0], [0]]);
  const left = member.leave();
  await seconds(10);
  await left;
  mock.timers.reset();
});

/** A kafkajs consumer whose first join is late: it ignores a disconnect before the join, and still joins. */
class LateMember extends SilentMember {
  readonly joins = Promise.withResolvers<void>();
  takesPart = false;
  private isTold = false;
  override async run() {
    await this.joins.promise;
    this.takesPart = true;
    this.share(0);
  }
  override disconnect = async () => {
    if (this.isTold) return;
    this.isTold = true;
    this.takesPart = false;
  };
}

test('a member that is replaced before it has joined leaves its group after the join', async () => {
  mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const late = new LateMember();
  const members: SilentMember[] = [];
  const client = { consumer: () => members[members.push(members.length ? new SilentMember() : late) - 1] };
  const assigned: number[][] = [];
  const listener = {
    onAssigned: (partitions: ReadonlySet<number>) => void assigned.push([...partitions]),
    onBatch: () => true,
  };
  const options = {
    client: client as unknown as Kafka,
    topic: 'topic',
    group: 'group',
    log: createLogger('kit', 'silent'),
  };
  const joining = joinGroup(options, listener);
  await seconds(60);
  const member = await joining;
  await until('another consumer replaces it', async () => members.length === 2);
  assert.deepEqual(assigned, [[0]]);
  late.joins.resolve();
  await seconds(1);
  assert.equal(late.takesPart, false, 'the member has left');
  assert.deepEqual(assigned, [[0]], 'its assignment is ignored');
  const left = member.leave();
  await seconds(10);
  await left;
  mock.timers.reset();
});
