import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import { hasPassed, serverTime } from '@recording-request/kit-mongo/clock';
import { isDuplicateKey, isOutOfTime } from '@recording-request/kit-mongo/mongo';
import type { IdempotencyDocument } from './documents.ts';
import type { Models } from './models.ts';
import type { ClientSession } from './transaction.ts';

export interface IdempotencyTimes {
  /** How long the service keeps a result, in milliseconds. */
  keepMs: number;
  /** How long an unfinished attempt counts as alive: longer than a transaction may take. */
  leaseMs: number;
}

/** The right to run a key's request. Call `finish` in the transaction of the request's writes. */
export interface Attempt {
  kind: 'run';
  finish(sealedAnswer: string, projectId: string): Promise<void>;
  /** Removes the key after a failure, because only a success is kept. */
  abandon(): Promise<void>;
}

export interface Replay {
  kind: 'replay';
  sealedAnswer: string;
  projectId: string;
}

interface Request {
  userId: string;
  key: string;
  /** Hex SHA-256. */
  bodyHash: string;
}

type Known = IdempotencyDocument & { now: Date };

// The number of tries. A request may succeed at the moment when another one takes it over; the second try then finds
// its result.
const LOOKS = 2;
const WRITE_MS = 5_000;
const SHOWN = {
  bodyHash: 1,
  state: 1,
  attempt: 1,
  leaseUntil: 1,
  session: 1,
  answer: 1,
  projectId: 1,
  now: '$$NOW',
} as const;

/*
 * If a process dies during a transaction, the database server ends that transaction a minute or more later. Until then,
 * no other request can write the records of the transaction, such as the owner's allowance. So the record names the
 * session of its attempt, and a take-over ends that session first. The server's clock sets and compares the leases.
 */
export function createIdempotency({ idempotency }: Pick<Models, 'idempotency'>, times: IdempotencyTimes) {
  const records = idempotency.collection;

  function attemptOf({ userId, key }: Request, attempt: string, session: ClientSession): Attempt {
    const running = { userId, key, attempt, state: 'running' } as const;
    return {
      kind: 'run',
      async finish(answer, projectId) {
        const { matchedCount } = await idempotency.updateOne(
          running,
          { $set: { state: 'done', answer, projectId } },
          { session },
        );
        if (matchedCount === 0) throw stillRunning();
      },
      async abandon() {
        await records.deleteOne(running, { maxTimeMS: WRITE_MS });
      },
    };
  }

  /** Takes a key that is new or has expired. Returns the key's record, which names the current attempt. */
  async function claim({ userId, key, bodyHash }: Request, attempt: string, session: ClientSession): Promise<Known> {
    const isFree = { $lte: [{ $ifNull: ['$expireAt', new Date(0)] }, serverTime()] };
    const record: Omit<IdempotencyDocument, '_id' | 'leaseUntil' | 'expireAt'> = {
      userId,
      key,
      bodyHash,
      state: 'running',
      attempt,
      session: session.id!.id,
    };
    const taken = {
      $mergeObjects: [
        { $literal: record },
        {
          _id: { $ifNull: ['$_id', uuidv7()] },
          leaseUntil: serverTime(times.leaseMs),
          expireAt: serverTime(times.keepMs),
        },
      ],
    };
    const known = await records.findOneAndUpdate(
      { userId, key },
      [{ $replaceWith: { $cond: [isFree, taken, '$$ROOT'] } }],
      { upsert: true, returnDocument: 'after', projection: SHOWN, maxTimeMS: WRITE_MS },
    );
    return known as unknown as Known;
  }

  /** Returns false if there is no dead attempt any more: it has finished, or another request has taken it over. */
  async function takeOver(request: Request, dead: Known, attempt: string, session: ClientSession): Promise<boolean> {
    // A server without this command ends the transaction by itself later.
    await endSession(dead.session).catch(() => {});
    const { userId, key } = request;
    const { matchedCount } = await records.updateOne(
      { userId, key, attempt: dead.attempt, state: 'running', ...hasPassed('leaseUntil') },
      [{ $set: { attempt, session: session.id!.id, leaseUntil: serverTime(times.leaseMs) } }],
      { maxTimeMS: WRITE_MS },
    );
    return matchedCount === 1;
  }

  const endSession = (id: IdempotencyDocument['session']) =>
    idempotency.db.db!.admin().command({ killSessions: [{ id }], maxTimeMS: WRITE_MS });

  return {
    /**
     * Begins the request, or returns its earlier result. The caller writes in `session`. Fails with `unprocessable` if
     * the key was used with another body. Fails with `conflict` while the first request still runs, which lasts at most
     * `leaseMs`.
     */
    async begin(request: Request, session: ClientSession): Promise<Attempt | Replay> {
      const attempt = uuidv7();
      for (let looks = 0; looks < LOOKS; looks++) {
        const known = await whenFree(() => claim(request, attempt, session));
        if (known.attempt === attempt) return attemptOf(request, attempt, session);
        if (known.bodyHash !== request.bodyHash) throw otherBody();
        if (known.state === 'done') return { kind: 'replay', sealedAnswer: known.answer!, projectId: known.projectId! };
        const leftMs = known.leaseUntil.getTime() - known.now.getTime();
        if (leftMs > 0) throw stillRunning(leftMs);
        const taken = await whenFree(() => takeOver(request, known, attempt, session));
        if (taken) return attemptOf(request, attempt, session);
      }
      throw stillRunning();
    },
  };
}

/** Runs a write. If the record cannot be written in time, it belongs to a request that is running or has just ended. */
async function whenFree<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    // Another request was faster, so the record exists now.
    if (isDuplicateKey(error)) return await whenFree(write);
    if (isOutOfTime(error)) throw stillRunning();
    throw error;
  }
}

const otherBody = () =>
  new DomainError(
    'unprocessable',
    'This Idempotency-Key was used with another body: use a new key for a new request.',
    {
      reason: 'idempotency_key_reused',
    },
  );
// The wait in the error is shorter than the lease: a live process usually finishes long before its lease ends.
const LOOK_AGAIN_SEC = 5;

const stillRunning = (leaseMs = 0) =>
  new DomainError('conflict', 'The first request with this Idempotency-Key is still running: try again in a moment.', {
    reason: 'idempotency_key_in_use',
    retryAfterSec: Math.min(LOOK_AGAIN_SEC, Math.max(1, Math.ceil(leaseMs / 1000))),
  });
