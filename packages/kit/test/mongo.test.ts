import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { testEnvironment } from '@recording-request/testing/environment';
import { until } from '@recording-request/testing/wait';
import { loadConfig } from '../src/config.ts';
import { connectMongo } from '../src/mongo.ts';
import { mongoVariables } from '../src/store-variables.ts';

const FOR_A_FEW = 4;

test('a process that has just started has connections for several requests at once', async () => {
  const name = `start-${randomUUID()}`;
  const { env } = testEnvironment();
  await using stack = new AsyncDisposableStack();
  const connection = stack.adopt(await connectMongo(loadConfig(env, mongoVariables), 'start', name), each =>
    each.close(),
  );
  const opened = async () => {
    const stages = [{ $currentOp: { allUsers: true, idleConnections: true } }, { $match: { appName: name } }];
    return await connection.getClient().db('admin').aggregate(stages, { readConcern: 'local' }).toArray();
  };
  await until('they are opened', async () => (await opened()).length >= FOR_A_FEW);
  assert.ok((await opened()).length <= 2 * FOR_A_FEW, 'not more than are of use');
});
