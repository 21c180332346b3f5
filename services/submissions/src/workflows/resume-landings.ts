import { type LandContext, resumeLanding } from './land-upload.ts';

const BATCH = 100;
const CONCURRENCY = 4;

/** Lands uploads that have every byte but whose request died, and retries landings that failed and are due. */
export async function resumeLandings(context: LandContext): Promise<void> {
  const { uploads } = context;
  for (const upload of await uploads.complete(BATCH)) await uploads.finish(upload);
  // A failure is recorded, and delays the next try.
  const due = await uploads.due(BATCH);
  for (let at = 0; at < due.length; at += CONCURRENCY)
    await Promise.allSettled(due.slice(at, at + CONCURRENCY).map(upload => resumeLanding(context, upload)));
}
