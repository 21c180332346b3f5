import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOutage } from '@recording-request/kit/outage';
import mongoose from 'mongoose';
import { KafkaAwayError, RecordTooLargeError } from './producer.ts';

test('an unreachable database is an outage, an invalid statement is not', async () => {
  const client = new mongoose.mongo.MongoClient('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 50 });
  await assert.rejects(client.db('nothing').command({ ping: 1 }), isOutage);
  const documents = client.db('nothing').collection('documents');
  await assert.rejects(documents.insertMany([{}, {}], { ordered: false }), isOutage);
  await client.close();
  const tooSlow = new mongoose.mongo.MongoServerError({ message: 'operation exceeded time limit', code: 50 });
  assert.equal(isOutage(tooSlow), true);
  // The codes of a member that steps down, shuts down or is not primary. If a read and its retry both fail, the error
  // has such a code and no label.
  for (const code of [91, 134, 189, 10_107, 11_600, 11_602, 13_435, 13_436])
    assert.equal(isOutage(new mongoose.mongo.MongoServerError({ message: 'not primary', code })), true, String(code));
  assert.equal(isOutage(new mongoose.mongo.MongoServerError({ message: 'E11000 duplicate key', code: 11_000 })), false);
  const cleared = Object.assign(new Error('pool cleared'), { name: 'PoolClearedOnNetworkError' });
  assert.equal(isOutage(cleared), true);
  assert.equal(isOutage(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })), true);
  assert.equal(isOutage(new KafkaAwayError('Kafka cannot be reached')), true);
  assert.equal(isOutage(new RecordTooLargeError('too large')), false);
  assert.equal(isOutage(new TypeError('a programming error')), false);
  assert.equal(isOutage(undefined), false);
});
