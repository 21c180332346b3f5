import type {
  BeginErasureRequest,
  BeginErasureResponse,
  GetErasureRequest,
  GetErasureResponse,
  ProjectErasure,
} from '@recording-request/proto/submissions/v1/submissions';
import type { Context } from '../../context.ts';
import { NOTHING } from '../../domain/erasure.ts';
import type { ErasedProject } from '../../store/erasures.ts';
import {
  beginErasure as begin,
  countErasable,
  countRemaining,
  findErasure,
} from '../../workflows/erasure/own-erasure.ts';

export const beginErasure =
  (context: Context) =>
  async (request: BeginErasureRequest): Promise<BeginErasureResponse> => ({
    erasure: await toErasure(context, await begin(context, request)),
  });

export const getErasure =
  (context: Context) =>
  async (request: GetErasureRequest): Promise<GetErasureResponse> => {
    const found = await findErasure(context, request);
    if (found) return { erasure: await toErasure(context, found), would: undefined };
    return { erasure: undefined, would: { ...NOTHING, ...(await countErasable(context, request)) } };
  };

export const NOTHING_OF_PROJECT = { links: 0, people: 0, responses: 0, rememberedAnswers: 0, videosReleased: 0 };

async function toErasure(context: Context, { id, at, owned }: ErasedProject): Promise<ProjectErasure> {
  const { ownerId, doneAt, recordsEndAt, removed, removedOfProject } = owned!;
  return {
    begunAt: at,
    doneAt,
    erased: { ...NOTHING, ...removed },
    erasedOfProject: { ...NOTHING_OF_PROJECT, ...removedOfProject },
    ...{ left: undefined, leftOfProject: undefined },
    ...(doneAt && (await countRemaining(context, { ownerId, projectId: id }))),
    recordsEndAt,
  };
}
