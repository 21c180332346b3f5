import { fileURLToPath } from 'node:url';
import type { SubmissionsPageJson } from '@recording-request/contract/resources/submission';
import { getSample } from '../get-sample.ts';
import { startPeer } from '../peers/peer.ts';
import { clipOf } from '../product/clips.ts';
import { ask, bearer, createProject, landClip } from '../product/product.ts';
import { openSeed } from '../product/seed.ts';
import { controlPair, expectEqual, PRODUCT, type Prepared, type Row, selfComparison } from '../row.ts';
import { partOf } from '../sample.ts';

/**
 * The number of turns in a round, each some tenths of a second long. A pause of the machine then affects more than one
 * variant.
 */
const TURNS = 12;
const TURN = 0.125;
const PEER = 'grpc-js defaults';
const SMALL_CLIP_BYTES = 200_000;
const PAGE = 100;
/** Half a minute of speech. */
const SPOKEN = 'This is what I think of it, and I say it so that it takes a while. '.repeat(6);

/** An owner reads a page of submissions, each with a transcript. */
export const page: Row = {
  name: '2',
  title: 'page of 100',
  needs: ['media', 'curl'],
  minutes: 3,
  turns: TURNS,
  goals: [
    {
      text: 'rate, of grpc-js defaults with JSON made in the gateway',
      metric: 'rate',
      of: PRODUCT,
      to: PEER,
      atLeast: 1.8,
    },
  ],
  self: selfComparison('rate'),
  async prepare(bench, stack): Promise<Prepared> {
    const turn = partOf(bench, TURN);
    const { product, peers, signal } = bench;
    const { gateway, projects, submissions } = product.services;
    const project = await createProject(product, 'A page of submissions');
    const { submissionId } = await landClip(product, project, await clipOf(SMALL_CLIP_BYTES), signal);
    const seed = stack.use(await openSeed(product));
    const spoken = { transcriptStatus: 'completed', transcriptText: SPOKEN, transcriptVtt: `WEBVTT\n\n${SPOKEN}` };
    await seed.submissions(
      submissionId,
      { projectId: project.projectId, linkId: project.sharedLink!.tokenId },
      PAGE,
      () => spoken,
    );

    const path = `/api/projects/${project.projectId}/submissions?limit=${PAGE}`;
    const peer = stack.use(
      await startPeer('page-gateway', peers.place, {
        command: process.execPath,
        args: () => [fileURLToPath(import.meta.resolve('../peers/page-gateway.ts'))],
        env: port => ({
          PORT: String(port),
          ...product.certificates.env('gateway'),
          PROJECTS_GRPC: projects.grpc!,
          SUBMISSIONS_GRPC: submissions.grpc!,
          PROJECT_NAME: 'A page of submissions',
          BASE_URL: product.baseUrl,
        }),
      }),
    );
    const own = await ask<SubmissionsPageJson>(product, path);
    expectEqual('the submissions on a page', own.submissions.length, PAGE);
    const other = await fetch(`${peer.url}${path}`, { headers: bearer(product) });
    expectEqual('the peer’s page', await other.json(), own);
    const behind = [projects.pid, submissions.pid];
    return {
      ...controlPair(getSample(turn, stack, { origin: product.baseUrl, path, counted: [gateway.pid, ...behind] })),
      [PEER]: getSample(turn, stack, { origin: peer.url, path, counted: [peer.pid, ...behind] }),
    };
  },
};
