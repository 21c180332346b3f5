import type { ReleaseResponseRequest, ReleaseResponseResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { keyOf, settledResponse, TRIES, tooBusy } from '../workflows/claim-use.ts';

/** Gives the use back unless a clip has landed; true also where it was given back before. */
export const releaseResponse =
  (context: Context) =>
  async ({ linkId, responseSessionId }: ReleaseResponseRequest): Promise<ReleaseResponseResponse> => {
    const { store } = context;
    const id = keyOf(linkId, responseSessionId);
    for (let tries = 0; tries < TRIES; tries++) {
      const response = await settledResponse(context, id);
      if (response.use !== 'held') return { released: response.use === 'released' };
      const transfer = store.transfers.make('release', new Date());
      const begun = await store.responses.beginTransfer(id, { use: 'held', answers: 0 }, { use: 'released' }, transfer);
      if (!begun) continue;
      await store.transfers.execute(begun);
      return { released: true };
    }
    throw tooBusy();
  };
