import { DomainError } from '@recording-request/kit/errors';
import type {
  TakeEndedSandboxesRequest,
  TakeEndedSandboxesResponse,
} from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';

const MAX = 100;
const AGAIN_MS = 60_000;

export const takeEndedSandboxes =
  ({ store, clock }: Pick<Context, 'store' | 'clock'>) =>
  async ({ limit }: TakeEndedSandboxesRequest): Promise<TakeEndedSandboxesResponse> => {
    if (limit < 1 || limit > MAX) throw new DomainError('invalid', `limit must be at least 1 and at most ${MAX}.`);
    const taken = await store.projects.takeEndedSandboxes(clock.now(), limit, AGAIN_MS);
    return { sandboxes: taken.map(({ _id: projectId, ownerId }) => ({ projectId, ownerId })) };
  };
