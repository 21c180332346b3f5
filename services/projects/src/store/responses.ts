import { createBatcher } from '@recording-request/kit/batcher';
import { isDuplicateKey } from '@recording-request/kit-mongo/mongo';
import { writeErrorsOf } from '@recording-request/kit-mongo/unordered';
import type { TranscriptionSettings } from '../domain/project.ts';
import type { Response, UseState } from '../domain/response.ts';
import type { Transfer } from '../domain/transfer.ts';
import { linkRecording } from '../messages.ts';
import type { ResponseDocument } from './documents.ts';
import type { Models } from './models.ts';

/** The conditions of a conditional change of a response. A running transfer always prevents the change. */
export interface Expected {
  use: UseState;
  /** The number of landed answers. */
  answers: number;
  /** Matches only a claim that has no byte and expired by this time. */
  emptyAndOverBy?: Date;
  /** Matches only a response that has a single clip. */
  isInterview?: false;
}

export type ResponseChange = Partial<
  Pick<Response, 'use' | 'hasBytes' | 'heldUntil' | 'answers' | 'complete' | 'settings' | 'terms'>
>;

/** Returns the filter of a response. Its key begins with its link's id. */
export const responseAt = (id: string) => ({ _id: id, linkId: linkOf(id) });
export const linkOf = (responseId: string): string => responseId.slice(0, responseId.indexOf(':'));

export const sessionOf = (responseId: string): string => responseId.slice(linkOf(responseId).length + 1);

// Batches are small, because each response has a copy of its project's settings, which can be 100 KB.
const INSERTED_AT_ONCE = 50;

export function createResponses({ responses }: Pick<Models, 'responses'>) {
  const insertAll = (batch: ResponseDocument[]) =>
    writeErrorsOf(batch.length, () => responses.collection.insertMany(batch as never, { ordered: false }));
  const insert = createBatcher({
    keyOf: ({ linkId }: ResponseDocument) => linkId,
    work: insertAll,
    maxBatch: INSERTED_AT_ONCE,
  });

  return {
    /** Returns false if the session exists, or if the unique link already has its response. */
    async insert(response: Response): Promise<boolean> {
      const error = await insert({ ...response, began: linkRecording(response) });
      if (error && !isDuplicateKey(error)) throw new Error('a response could not be inserted', { cause: error });
      return !error;
    },

    async find(id: string): Promise<Response | null> {
      return await responses.findOne(responseAt(id)).lean<Response>();
    },

    /** Returns a response with its project's current transcription settings, in one query. */
    async findWithTranscription(
      id: string,
    ): Promise<(Response & { project: { settings: TranscriptionSettings }[] }) | null> {
      const [response] = await responses.aggregate([
        { $match: responseAt(id) },
        {
          $lookup: {
            from: 'projects',
            as: 'project',
            localField: 'projectId',
            foreignField: '_id',
            pipeline: [{ $project: { 'settings.transcriptionEnabled': 1, 'settings.transcriptionLanguage': 1 } }],
          },
        },
      ]);
      return response ?? null;
    },

    /** Returns the response of a unique link. */
    async findSolo(linkId: string): Promise<Response | null> {
      return await responses.findOne({ linkId, solo: true }).lean<Response>();
    },

    /**
     * Begins a transfer, and changes the response in the same write. Returns null if the response does not meet the
     * conditions.
     */
    async beginTransfer(
      id: string,
      expected: Expected,
      change: ResponseChange,
      transfer: Transfer,
    ): Promise<Response | null> {
      const overBy = expected.emptyAndOverBy;
      return await responses
        .findOneAndUpdate(
          {
            ...responseAt(id),
            use: expected.use,
            answers: { $size: expected.answers },
            'transfer.id': { $exists: false },
            ...(overBy ? { hasBytes: false, heldUntil: { $lte: overBy } } : {}),
            ...(expected.isInterview === false ? { 'settings.interviewQuestions': { $size: 0 } } : {}),
          },
          { $set: { ...change, transfer } },
          { returnDocument: 'after' },
        )
        .lean<Response>();
    },

    /** Extends the hold on a held or final use. Returns null if the response has no such use. */
    async prolong(id: string, heldUntil: Date): Promise<Response | null> {
      return await responses
        .findOneAndUpdate(
          { ...responseAt(id), use: { $in: ['held', 'landed'] } },
          { $set: { hasBytes: true }, $max: { heldUntil } },
          { returnDocument: 'after' },
        )
        .lean<Response>();
    },

    /** Returns claims that have expired and have no byte. */
    async emptyClaims(now: Date, limit: number): Promise<Response[]> {
      return await responses
        .find({ use: 'held', hasBytes: false, heldUntil: { $lte: now } })
        .sort({ heldUntil: 1 })
        .limit(limit)
        .lean<Response[]>();
    },
  };
}
