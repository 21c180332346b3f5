import type { Context } from '../context.ts';
import { settledResponse, whileChanging } from './current-response.ts';

/** Releases the use unless a clip has landed. Returns whether the use is released, by this or an earlier call. */
export async function releaseResponse(
  { store, clock }: Pick<Context, 'store' | 'clock'>,
  id: string,
): Promise<boolean> {
  return await whileChanging(async () => {
    const response = await settledResponse({ store }, id);
    if (response.use !== 'held') return response.use === 'released';
    const transfer = store.transfers.make('release', clock.now());
    const begun = await store.responses.beginTransfer(id, { use: 'held', answers: 0 }, { use: 'released' }, transfer);
    if (!begun) return null;
    await store.transfers.execute(begun);
    return true;
  });
}
