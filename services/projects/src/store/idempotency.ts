import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import { isDuplicateKey } from '@recording-request/kit/mongo';
import type { IdempotencyDocument } from './documents.ts';
import type { Models } from './models.ts';
import type { ClientSession } from './transaction.ts';

export interface IdempotencyTimes {
  /** How long an answer is remembered. */
  keepMs: number;
  /** How long a first attempt that never ended counts as alive. */
  leaseMs: number;
}

/** The right to run the request of a key; `finish` in the same transaction as its effect. */
export interface Attempt {
  kind: 'run';
  finish(sealedAnswer: string, projectId: string, session: ClientSession): Promise<void>;
  /** Forgets the key after a failure: only success is kept. */
  abandon(): Promise<void>;
}

export interface Replay {
  kind: 'replay';
  sealedAnswer: string;
}

// Two tries meet the same key at most: one finds it gone or dead, the next takes it.
const TRIES = 5;

export function createIdempotency({ idempotency }: Pick<Models, 'idempotency'>, times: IdempotencyTimes) {
  function attemptOf(id: string, attempt: string): Attempt {
    return {
      kind: 'run',
      async finish(answer, projectId, session) {
        const { matchedCount } = await idempotency.updateOne(
          { _id: id, attempt, state: 'running' },
          { $set: { state: 'done', answer, projectId } },
          { session },
        );
        if (matchedCount === 0) throw stillRunning();
      },
      async abandon() {
        await idempotency.deleteOne({ _id: id, attempt, state: 'running' });
      },
    };
  }

  async function insert(userId: string, key: string, bodyHash: string, now: Date): Promise<Attempt | undefined> {
    const [id, attempt] = [uuidv7(), uuidv7()];
    const document: IdempotencyDocument = {
      _id: id,
      userId,
      key,
      bodyHash,
      state: 'running',
      attempt,
      leaseUntil: new Date(now.getTime() + times.leaseMs),
      expireAt: new Date(now.getTime() + times.keepMs),
    };
    try {
      await idempotency.collection.insertOne(document as never);
      return attemptOf(id, attempt);
    } catch (error) {
      if (isDuplicateKey(error)) return undefined;
      throw error;
    }
  }

  async function takeOver(dead: IdempotencyDocument, now: Date): Promise<Attempt | undefined> {
    const attempt = uuidv7();
    const { matchedCount } = await idempotency.updateOne(
      { _id: dead._id, attempt: dead.attempt, state: 'running' },
      { $set: { attempt, leaseUntil: new Date(now.getTime() + times.leaseMs) } },
    );
    return matchedCount === 1 ? attemptOf(dead._id, attempt) : undefined;
  }

  return {
    /**
     * Begins or replays. Fails with `unprocessable` where the key came with another body, with `conflict` while the first
     * request still runs.
     */
    async begin(userId: string, key: string, bodyHash: string, now: Date): Promise<Attempt | Replay> {
      for (let tries = 0; tries < TRIES; tries++) {
        const begun = await insert(userId, key, bodyHash, now);
        if (begun) return begun;
        const known = await idempotency.findOne({ userId, key }).lean<IdempotencyDocument>();
        if (!known) continue;
        if (known.expireAt <= now) {
          // The database removes expired ones only once a minute.
          await idempotency.deleteOne({ _id: known._id, expireAt: known.expireAt });
          continue;
        }
        if (known.bodyHash !== bodyHash) throw otherBody();
        if (known.state === 'done') return { kind: 'replay', sealedAnswer: known.answer! };
        if (known.leaseUntil > now) throw stillRunning(known.leaseUntil.getTime() - now.getTime());
        const taken = await takeOver(known, now);
        if (taken) return taken;
      }
      throw stillRunning();
    },
  };
}

const otherBody = () =>
  new DomainError('unprocessable', 'This Idempotency-Key was used with another body: use a new key for a new request.');
// The lease may be that of a process that died; one that lives is mostly done long before.
const LOOK_AGAIN_SEC = 5;

const stillRunning = (leaseMs = 0) =>
  new DomainError('conflict', 'The first request with this Idempotency-Key is still running: try again in a moment.', {
    retryAfterSec: Math.min(LOOK_AGAIN_SEC, Math.max(1, Math.ceil(leaseMs / 1000))),
  });
