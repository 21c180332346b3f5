import type { ProjectDetailJson } from '@recording-request/contract/resources/project';
import { getSample } from '../get-sample.ts';
import { startGrpcGateway } from '../peers/go.ts';
import { ask, bearer, createProject } from '../product/product.ts';
import { controlPair, expectEqual, PRODUCT, type Prepared, type Row, selfComparison } from '../row.ts';
import { partOf } from '../sample.ts';

/**
 * The number of turns in a round, each some tenths of a second long. A pause of the machine then affects more than one
 * variant.
 */
const TURNS = 12;
const TURN = 0.125;
const PEER = 'grpc-gateway';

interface PeerAnswer {
  project: { project: { projectId: string; settings: { projectName: string } } };
  counts: { counts: Record<string, { videosCreated: number }> };
}

/** An owner reads one project. The peer makes the same calls to the same services and remembers tokens for the same time. */
export const ownerRead: Row = {
  name: '1',
  title: 'one project, cached token',
  needs: ['go'],
  minutes: 3,
  turns: TURNS,
  goals: [
    { text: 'CPU, of Go grpc-gateway', metric: 'cpuMs', of: PRODUCT, to: PEER, atMost: 1.1 },
    { text: 'rate, of Go grpc-gateway', metric: 'rate', of: PRODUCT, to: PEER, atLeast: 0.9 },
  ],
  self: selfComparison('cpuMs', 'rate'),
  async prepare(bench, stack): Promise<Prepared> {
    const turn = partOf(bench, TURN);
    const { product, peers } = bench;
    const { gateway, projects, submissions } = product.services;
    const { projectId } = await createProject(product, 'One project', { count: 10 });
    const path = `/api/projects/${projectId}`;
    const behind = [projects.pid, submissions.pid];
    const own = await ask<ProjectDetailJson>(product, path);
    expectEqual('the product’s answer', own.projectId, projectId);
    const variants = controlPair(
      getSample(turn, stack, { origin: product.baseUrl, path, counted: [gateway.pid, ...behind] }),
    );
    if (!peers.go) return variants;

    const services = { projects: projects.grpc!, submissions: submissions.grpc! };
    const certificate = product.certificates.env('gateway');
    const peer = stack.use(await startGrpcGateway(peers.go, peers.place, services, certificate));
    const other = await fetch(`${peer.url}${path}`, { headers: bearer(product) });
    const answer = (await other.json()) as PeerAnswer;
    expectEqual(
      'grpc-gateway’s answer',
      [answer.project.project.projectId, answer.project.project.settings.projectName],
      [projectId, own.projectName],
    );
    expectEqual('its counts', answer.counts.counts[projectId]?.videosCreated, own.stats.videosCreated);
    return { ...variants, [PEER]: getSample(turn, stack, { origin: peer.url, path, counted: [peer.pid, ...behind] }) };
  },
};
