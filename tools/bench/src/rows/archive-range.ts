import { openLoadClient } from '../load/http-client.ts';
import { lastEntryOf } from '../load/last-entry.ts';
import { clipOf } from '../product/clips.ts';
import { bearer, createProject, landClip } from '../product/product.ts';
import { openSeed } from '../product/seed.ts';
import type { Prepared, Row } from '../row.ts';
import { medianMs, oneByOne, timed } from '../sample.ts';

const FEW = 'few clips';
const FEW_AGAIN = 'few clips again';
const MANY = 'many clips';
const FEW_CLIPS = 20;
const MANY_PER_CLIP = 10;
const CLIP_BYTES = 200_000;
const RANGE_BYTES = 1_000;
/** Requests for each repeat of a turn; their median is the turn's figure. */
const REQUESTS = 4;
const TURNS = 16;

/** A client resumes a download of project.zip in its last entry: the wait must not grow with the number of earlier clips. */
export const archiveRange: Row = {
  name: '17',
  title: 'a range in the last entry of project.zip, 20 → 2,000 clips',
  needs: ['media', 'curl'],
  minutes: 1,
  turns: TURNS,
  atOnce: true,
  named: true,
  goals: [{ text: 'time, of few clips', metric: 'ms', of: MANY, to: FEW, atMost: 1.2 }],
  self: [{ text: 'few clips beside themselves', metric: 'ms', of: FEW, to: FEW_AGAIN }],
  async prepare(bench, stack): Promise<Prepared> {
    const { product, signal, scale } = bench;
    const seed = stack.use(await openSeed(product));
    const client = stack.use(openLoadClient(product.baseUrl, 1));
    const alone = oneByOne(signal);
    const clip = await clipOf(CLIP_BYTES);
    const filled = async (clips: number) => {
      const project = await createProject(product, `${clips} clips`);
      const { projectId, sharedLink } = project;
      const { submissionId } = await landClip(product, project, clip, signal);
      await seed.submissions(submissionId, { projectId, linkId: sharedLink!.tokenId }, clips - 1);
      const path = `/api/projects/${projectId}/export/project.zip`;
      const request = { url: `${product.baseUrl}${path}`, headers: bearer(product) };
      const { offset, etag } = await lastEntryOf(request, bench);
      const range = `bytes=${offset}-${offset + RANGE_BYTES - 1}`;
      return () => client.get(path, { ...request.headers, 'if-range': etag, range }, 206);
    };
    const [few, many] = [await filled(FEW_CLIPS), await filled(scale.clips * MANY_PER_CLIP)];
    const sample = (read: () => Promise<unknown>) => () =>
      timed(bench, async () => ({ ms: await medianMs(alone, read, REQUESTS * scale.repeats) }));
    return { [FEW]: sample(few), [FEW_AGAIN]: sample(few), [MANY]: sample(many) };
  },
};
