import { type BegunMedia, beginMedia, finishMedia, type MadeMedia } from '../src/workflows/make-media.ts';

export type WholeMedia = MadeMedia & BegunMedia;

/** Makes all media of a clip, one step after the other, without storing it. */
export async function makeMedia(
  job: Parameters<typeof beginMedia>[0],
  options: Parameters<typeof beginMedia>[1],
): Promise<WholeMedia> {
  const begun = await beginMedia(job, options);
  return { ...begun, ...(await finishMedia(begun, options)) };
}
