import { clipOf } from '../product/clips.ts';
import { createProject, landClip } from '../product/product.ts';
import { openSeed } from '../product/seed.ts';
import { startSlowPhone } from '../product/slow-phone.ts';
import { expectEqual, type Prepared, type Row } from '../row.ts';
import { timed } from '../sample.ts';

const RECORDER = 'recorder';
const DASHBOARD = 'dashboard';
const CLIPS = 24;
const LINKS = 30;
const CLIP_BYTES = 200_000;
const NOTE_WORDS = 8;
const TRANSCRIPT_WORDS = 70;
const VOCABULARY =
  'hello this is what I think of the new oven that you have had for some weeks with the whole house and it bakes very well'.split(
    ' ',
  );

/** A contributor opens a recording link and an owner opens a dashboard with clips, for the first time and on a slow phone. */
export const pageLoad: Row = {
  name: '16',
  title: 'first view at 1.6 Mbit/s and 150 ms, CPU slowed fourfold',
  needs: ['media', 'curl', 'chromium'],
  minutes: 2,
  alone: true,
  named: true,
  goals: [
    { text: 'recorder: painted, in ms', metric: 'painted', of: RECORDER, atMost: 900 },
    { text: 'recorder: script ready, in ms', metric: 'ready', of: RECORDER, atMost: 1_200 },
    { text: 'recorder: requests', metric: 'requests', of: RECORDER, atMost: 2 },
    { text: 'recorder: bytes', metric: 'bytes', of: RECORDER, atMost: 32 * 1024 },
    { text: `dashboard of ${CLIPS} clips: painted, in ms`, metric: 'painted', of: DASHBOARD, atMost: 1_000 },
    { text: `dashboard of ${CLIPS} clips: bytes without pictures`, metric: 'bytes', of: DASHBOARD, atMost: 40 * 1024 },
  ],
  self: [],
  async prepare(bench, stack): Promise<Prepared> {
    const { product, signal, log } = bench;
    const project = await createProject(product, 'What do you think of it?', { count: LINKS, noteEnabled: true });
    const { submissionId } = await landClip(product, project, await clipOf(CLIP_BYTES), signal);
    const to = { projectId: project.projectId, linkId: project.sharedLink!.tokenId };
    const seed = stack.use(await openSeed(product));
    const words = wordsFrom(1);
    await seed.submissions(submissionId, to, CLIPS - 1, () => ({
      note: words(NOTE_WORDS),
      transcriptText: words(TRANSCRIPT_WORDS),
    }));
    const phone = stack.use(await startSlowPhone(log));
    const links = { [RECORDER]: project.recipientUrls[0]!.recipientUrl, [DASHBOARD]: project.dashboardUrl };
    const dashboard = await (await fetch(project.dashboardUrl, { signal })).text();
    const shown = dashboard.split('data-id="').length - 1;
    expectEqual('the clips in the dashboard’s first view', shown, CLIPS);
    return Object.fromEntries(
      Object.entries(links).map(([name, url]) => [
        name,
        () => timed(bench, async () => ({ ...(await phone.open(url)) })),
      ]),
    );
  },
};

/**
 * Returns a generator of texts, which are the same in each run. All texts differ, because compression would remove
 * equal texts.
 */
function wordsFrom(seed: number): (count: number) => string {
  let place = seed;
  const next = () => {
    place = (place * 16_807) % 2_147_483_647;
    return VOCABULARY[place % VOCABULARY.length]!;
  };
  return count => Array.from({ length: count }, next).join(' ');
}
