import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { type ClientSession, inTransaction, type TransactionBounds, transact } from '../src/store/transaction.ts';
import { newOwner, refusedAs, startTestProjects, type TestProjects } from './test-service.ts';

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(() => running?.[Symbol.asyncDispose]());

const connection = () => running.store.models.users.db;
const reserve = (userId: string) => (session: ClientSession) => running.store.users.reserve(userId, 1, session);
const reserved = async (userId: string) => (await running.store.users.find(userId))!.videosReserved;

/** Runs `work` while another transaction has written to the user and stays open. */
async function whileWritten(userId: string, work: () => Promise<void>): Promise<void> {
  const session = await connection().startSession();
  try {
    session.startTransaction();
    await reserve(userId)(session);
    await work();
  } finally {
    await session.abortTransaction();
    await session.endSession();
  }
}

test('concurrent transactions on one record are all applied, each once', async () => {
  const userId = await newOwner(running);
  const returned = await Promise.all(Array.from({ length: 20 }, () => inTransaction(connection(), reserve(userId))));
  assert.deepEqual(
    returned.map(user => user.videosReserved).sort((a, b) => a - b),
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  assert.equal(await reserved(userId), 20);
});

test('a conflict that does not end is unavailable when the budget is spent', async () => {
  const userId = await newOwner(running);
  await whileWritten(userId, async () => {
    let tries = 0;
    const work = async (session: ClientSession) => {
      tries++;
      await reserve(userId)(session);
    };
    const failed = inTransaction(connection(), work, { budgetMs: 3_000 });
    await assert.rejects(failed, refusedAs('unavailable', /busy/));
    assert.ok(tries > 1, 'the work was retried');
    await assert.rejects(failed, ({ cause }: Error) => /WriteConflict/.test(String(cause)), 'the log has the conflict');
  });
  assert.equal(await reserved(userId), 0);
});

test('a caller that leaves ends the retries', async () => {
  const userId = await newOwner(running);
  await whileWritten(userId, async () => {
    const gone = new AbortController();
    let tries = 0;
    const work = async (session: ClientSession) => {
      if (++tries === 2) gone.abort(new Error('gone'));
      await reserve(userId)(session);
    };
    await assert.rejects(inTransaction(connection(), work, { signal: gone.signal }), /gone/);
    assert.equal(tries, 2);
  });
  assert.equal(await reserved(userId), 0);
});

test('an error of the work aborts the transaction without a retry', async () => {
  const userId = await newOwner(running);
  let tries = 0;
  const work = async (session: ClientSession) => {
    tries++;
    await reserve(userId)(session);
    throw new Error('no');
  };
  await assert.rejects(inTransaction(connection(), work), /^Error: no$/);
  assert.equal(tries, 1);
  assert.equal(await reserved(userId), 0);
});

/** Returns a session whose commits have an unknown result. */
async function sessionWithoutOutcome(t: TestContext): Promise<ClientSession> {
  const session = await connection().startSession();
  t.mock.method(session, 'commitTransaction', async () => {
    await pause(20);
    if (session.hasEnded) throw new Error('the session has ended');
    const unknown = new mongo.MongoServerError({ message: 'the primary is down' });
    unknown.addErrorLabel(mongo.MongoErrorLabel.UnknownTransactionCommitResult);
    throw unknown;
  });
  return session;
}

test('a commit with an unknown result is unavailable when the budget is spent, and ends with its caller', async t => {
  const endings: [TransactionBounds, (error: unknown) => boolean][] = [
    [{ budgetMs: 300 }, refusedAs('unavailable', /busy/)],
    [{ signal: AbortSignal.timeout(300) }, error => (error as Error).name === 'TimeoutError'],
  ];
  for (const [bounds, isExpected] of endings) {
    const session = await sessionWithoutOutcome(t);
    await assert.rejects(
      transact(session, async () => 'done', bounds),
      isExpected,
    );
    await session.endSession();
  }
});
