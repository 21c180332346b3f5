import { type LandContext, landUpload } from './land-upload.ts';

const BATCH = 100;
const CONCURRENCY = 4;

/** Lands what has every byte and whose request died, and tries again what failed and has waited long enough. */
export async function resumeLandings(context: LandContext): Promise<void> {
  const { uploads } = context;
  for (const upload of await uploads.complete(BATCH)) await uploads.finish(upload.id);
  // What fails is noted, and waits longer for its next turn.
  const due = await uploads.due(BATCH);
  for (let at = 0; at < due.length; at += CONCURRENCY)
    await Promise.allSettled(due.slice(at, at + CONCURRENCY).map(upload => landUpload(context, upload.id)));
}
