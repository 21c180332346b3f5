import type { ProjectCreatedJson } from '@recording-request/contract/resources/project';
import { type LoadClient, openLoadClient } from '../load/http-client.ts';
import { clipOf } from '../product/clips.ts';
import { ask, bearer, createProject, landClip, newOwner, type Product } from '../product/product.ts';
import { openSeed, type Seed } from '../product/seed.ts';
import { openSmallSweeper, openSweeper, type Sweeper } from '../product/sweeper.ts';
import { type Bench, expectEqual, type Prepared, type Row } from '../row.ts';
import { medianMs, type OneByOne, oneByOne, timed } from '../sample.ts';
import type { Sample } from '../stats/rounds.ts';

const SMALL = 'small';
const SMALL_AGAIN = 'small again';
const LARGE = 'large';
/** An owner with as many projects as the large owner, but without clips. */
const EMPTY = 'empty';
/**
 * A turn sends REQUESTS × `repeats` requests of each kind. The figure is their median. A turn requests a long list of
 * projects only once.
 */
const REQUESTS = 4;
/**
 * A turn runs the sweeper SWEEPS × `repeats` times. A few runs are enough: a run takes five times as long as a page,
 * and its time varies little.
 */
const SWEEPS = 2;
/** The number of turns in a round, so that a machine that is slow for some seconds affects all variants. */
const TURNS = 8;
const CLIP_BYTES = 200_000;
const SMALL_CLIPS = 100;
const SMALL_LINKS = 10;
const STATS_MS = 60;
const MOST = 1.2;

/**
 * The queries of a project, by metric. Each query returns as many clips as the small project has, so that all answers
 * have the same length.
 */
const PAGES: Record<string, string> = {
  'first page': '',
  'selected page': '?selected=true&limit=10',
  'unselected page': '?selected=false',
  'completed page': '?transcriptStatus=completed',
  'failed page': '?transcriptStatus=failed&limit=1',
  'ready page': '?mediaStatus=ready',
};
const SWEEP = "sweeper's turn";
const OTHERS = ['one submission', 'dashboard poll', 'opening an export', SWEEP];
const FLAT = [...Object.keys(PAGES), ...OTHERS];

/** An owner's requests to a small and to a large project in the same database. */
export const growth: Row = {
  name: '10',
  title: '100 → 100,000 submissions, 10 → 10,000 links, 1 → 2,000 projects',
  needs: ['media', 'curl'],
  minutes: 6,
  turns: TURNS,
  atOnce: true,
  goals: [
    ...FLAT.map(metric => ({ text: `${metric}, of the small project`, metric, of: LARGE, to: SMALL, atMost: MOST })),
    { text: 'one project with its stats, ms', metric: 'stats', of: LARGE, atMost: STATS_MS },
    { text: 'list of projects, of an owner without clips', metric: 'list', of: LARGE, to: EMPTY, atMost: MOST },
  ],
  self: FLAT.map(metric => ({ text: `${metric} beside itself`, metric, of: SMALL, to: SMALL_AGAIN })),
  async prepare(bench, stack): Promise<Prepared> {
    const { product, signal, scale } = bench;
    const seed = stack.use(await openSeed(product));
    const template = await createProject(product, 'A clip to copy');
    const { submissionId } = await landClip(product, template, await clipOf(CLIP_BYTES), signal);
    const fill = (owner: Product, links: number, clips: number) => filled(owner, seed, submissionId, links, clips);

    const small = await fill(await newOwner(product), SMALL_LINKS, SMALL_CLIPS);
    const large = await fill(await newOwner(product), scale.growth.links, scale.growth.submissions);
    const empty = await newOwner(product);
    const { projectId } = await createProject(empty, 'Nothing yet');
    await seed.projects(projectId, scale.growth.projects - 1);
    const another = await createProject(large.owner, 'One of many');
    await seed.projects(another.projectId, scale.growth.projects - 2);

    const lists = { [LARGE]: large.owner, [EMPTY]: empty };
    for (const [name, owner] of Object.entries(lists)) {
      const { projects } = await ask<{ projects: unknown[] }>(owner, '/api/projects');
      expectEqual(`the projects of the ${name} owner`, projects.length, scale.growth.projects);
    }
    const [quick, slow] = [
      stack.use(await openSmallSweeper(product, SMALL_CLIPS)),
      stack.use(await openSweeper(product)),
    ];
    expectEqual('the clips of a small database', await quick.clips(), SMALL_CLIPS);
    expectEqual('the large database has all clips', (await slow.clips()) > scale.growth.submissions, true);
    const requester = { client: stack.use(openLoadClient(product.baseUrl, 1)), alone: oneByOne(signal) };
    return {
      [SMALL]: () => sampleOf(bench, requester, small, quick),
      [SMALL_AGAIN]: () => sampleOf(bench, requester, small, quick),
      [LARGE]: () => sampleOf(bench, requester, large, slow, large.owner),
      [EMPTY]: () => timed(bench, async () => ({ list: await listMs(requester, empty) })),
    };
  },
};

/** The shared state of these requests. They run one after the other. */
interface Requester {
  client: LoadClient;
  alone: OneByOne;
}

interface Filled {
  owner: Product;
  project: ProjectCreatedJson;
  submissionId: string;
  /** The ETag of an answer that the dashboard already has. */
  etag: string;
}

async function filled(owner: Product, seed: Seed, copied: string, links: number, clips: number): Promise<Filled> {
  const project = await createProject(owner, 'Clips', { count: links });
  const { projectId } = project;
  await seed.submissions(copied, { projectId, linkId: project.sharedLink!.tokenId }, clips);
  const { stats } = await ask<{ stats: { videosCreated: number } }>(owner, `/api/projects/${projectId}`);
  expectEqual('the clips of a project', stats.videosCreated, clips);
  const page = await ask<{ submissions: { submissionId: string }[] }>(
    owner,
    `/api/projects/${projectId}/submissions?limit=50`,
  );
  expectEqual('the clips of its first page', page.submissions.length, 50);
  const poll = await fetch(overviewOf(project));
  await poll.body?.cancel();
  return { owner, project, submissionId: page.submissions.at(-1)!.submissionId, etag: poll.headers.get('etag') ?? '' };
}

const overviewOf = ({ dashboardUrl }: ProjectCreatedJson) => `${dashboardUrl}/overview`;

function sampleOf(
  bench: Bench,
  requester: Requester,
  filled: Filled,
  sweeper: Sweeper,
  lister?: Product,
): Promise<Sample> {
  const { owner, project, submissionId, etag } = filled;
  const headers = bearer(owner);
  const path = `/api/projects/${project.projectId}`;
  const poll = new URL(overviewOf(project)).pathname;
  const { repeats } = bench.scale;
  const { client, alone } = requester;
  const ms = (request: () => Promise<unknown>, count = REQUESTS) => medianMs(alone, request, count * repeats);
  return timed(bench, async () => {
    const metrics: Record<string, number> = {};
    for (const [name, query] of Object.entries(PAGES))
      metrics[name] = await ms(() => client.get(`${path}/submissions${query}`, headers));
    metrics['one submission'] = await ms(() => client.get(`${path}/submissions/${submissionId}`, headers));
    metrics['dashboard poll'] = await ms(() => client.get(poll, { 'if-none-match': etag }, 304));
    metrics['opening an export'] = await ms(() => client.open(`${path}/export.json`, headers));
    metrics[SWEEP] = await ms(() => sweeper.turn(), SWEEPS);
    metrics.stats = await ms(() => client.get(path, headers));
    if (lister) metrics.list = await listMs(requester, lister);
    return metrics;
  });
}

const listMs = ({ client, alone }: Requester, owner: Product) =>
  medianMs(alone, () => client.get('/api/projects', bearer(owner)), 1);
