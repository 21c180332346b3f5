import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ok } from '@recording-request/harness/http-client';
import { fits } from '../harness/fits.ts';
import type { SeedData } from '../harness/seed.ts';

/** Tests the fields and types of every JSON answer of the contract and of the extensions. */
export function resources({ ada, bob, full, bare, bobs, clip }: SeedData): void {
  const project = `/api/projects/${full.projectId}`;
  const empty = `/api/projects/${bare.projectId}`;
  const submission = `${project}/submissions/${clip.submissionId}`;
  const shown = `/project/${full.projectToken}`;
  const ANSWERS: [method: string, path: string, shape: string, body?: unknown][] = [
    ['GET', '/api/me', 'Me'],
    ['GET', '/api/projects', 'ProjectList'],
    ['GET', project, 'ProjectDetail'],
    ['GET', empty, 'ProjectDetail'],
    ['PATCH', project, 'ProjectDetail', {}],
    ['PATCH', empty, 'ProjectDetail', { brand: { name: 'Ada & Co' } }],
    ['PATCH', empty, 'ProjectDetail', { brand: null }],
    ['PATCH', '/api/me', 'Me', { brand: { accent: '#8c2f39' } }],
    ['PATCH', '/api/me', 'Me', { brand: null }],
    ['GET', `${project}/links`, 'ProjectLinks'],
    ['GET', `${empty}/links`, 'ProjectLinks'],
    ['GET', `${project}/submissions`, 'SubmissionsPage'],
    ['GET', `${empty}/submissions`, 'SubmissionsPage'],
    ['GET', `${project}/export.json`, 'ExportDocument'],
    ['GET', `${shown}/export.json`, 'ExportDocument'],
    ['GET', `${shown}/overview`, 'DashboardOverview'],
    ['GET', `${shown}/submissions?q=a&limit=1`, 'SubmissionsPage'],
    ['GET', `${shown}/submissions/${clip.submissionId}`, 'Submission'],
    ['GET', `${shown}/links?limit=2`, 'DashboardLinks'],
    ['GET', `/project/${bare.projectToken}/links`, 'DashboardLinks'],
    ['GET', `${shown}/webhook-endpoint`, 'DashboardEndpoint'],
    ['PATCH', submission, 'Submission', { selected: false }],
    ['PATCH', `${project}/links/${full.recipientUrls[2]!.tokenId}`, 'RecipientLink', { disabled: false }],
    ['PATCH', `${project}/links/${full.sharedLink!.tokenId}`, 'SharedRecipientLink', { disabled: false }],
    ['GET', `${project}/webhook-deliveries`, 'DeliveriesPage'],
    ['POST', `${project}/webhook-test`, 'WebhookDelivery'],
    ['POST', `${project}/webhook-deliveries/redeliver`, 'WebhookRedelivery', { undeliveredOnly: true }],
  ];

  describe('resources', () => {
    for (const [method, path, shape, json] of ANSWERS) {
      test(`${method} ${nameless(path)} is a ${shape}`, async () => {
        assert.ok(fits(ok(await ada.ask(path, { method, json })), shape) > 0);
      });
    }

    test('a creation result has its shape with everything and with nothing enabled', async () => {
      fits(full, 'ProjectCreated');
      fits(bare, 'ProjectCreated');
      const { sharedLink, ...rest } = bare;
      assert.equal(sharedLink, null);
      assert.equal(rest.sharedLinkMaxUses, null);
      assert.deepEqual(full.counts, {
        videosCreated: 0,
        uniqueLinksRemaining: 3,
        sharedUsesRemaining: 20,
        responseSlotsRemaining: 23,
      });
      assert.equal(full.apiUser.reservedVideoCount, 23);
      for (const link of [...full.recipientUrls, full.sharedLink!]) assert.equal(link.url, link.recipientUrl);
      assert.equal(full.sharedLink!.maxUses, 20);
    });

    test('a project’s figures add up after a clip has landed', async () => {
      const { stats } = ok(await ada.ask(project));
      assert.deepEqual(stats, {
        videosCreated: 1,
        selectedVideos: 0,
        transcriptCompleted: 1,
        transcriptPending: 0,
        transcriptFailed: 0,
        uniqueLinksTotal: 3,
        uniqueLinksRemaining: 3,
        sharedLinksTotal: 1,
        sharedUsesRemaining: 19,
        totalResponseCapacity: 23,
        responseSlotsUsed: 1,
        responseSlotsRemaining: 22,
      });
      const { sharedLink } = ok(await ada.ask(`${project}/links`));
      assert.equal(sharedLink.submissionCount, 1);
      assert.equal(sharedLink.remainingUses, 19);
      assert.notEqual(sharedLink.submittedAt, null);
      assert.equal(sharedLink.completedAt, sharedLink.submittedAt);
    });

    test('a project gets its requested events and the events that are always sent', async () => {
      const types = async (owner: SeedData['ada'], { projectId }: { projectId: string }) => {
        const { deliveries } = ok(await owner.ask(`/api/projects/${projectId}/webhook-deliveries`));
        return new Set(deliveries.filter(({ test }: { test: boolean }) => !test).map(eventTypeOf));
      };
      const standard = ['submission.completed', 'submission.transcript.completed'];
      assert.deepEqual(
        await types(ada, full),
        new Set([...standard, 'submission.media.completed', 'response.completed']),
      );
      assert.deepEqual(await types(bob, bobs), new Set(['submission.completed']));
    });

    test('a landed clip has every value of the contract', () => {
      assert.equal(clip.mediaStatus, 'ready');
      assert.equal(clip.transcriptStatus, 'completed');
      assert.match(clip.transcriptText!, /^please open/);
      assert.match(clip.transcriptVtt!, /^WEBVTT\n/);
      assert.equal(clip.note, 'from the contributor');
      assert.equal(clip.termsAccepted, true);
      assert.notEqual(clip.terms, null);
      for (const field of ['responseSessionId', 'questionIndex', 'questionText'] as const)
        assert.equal(clip[field], null);
    });
  });
}

/** Removes the ids from a path. */
const nameless = (path: string) => path.replaceAll(/prj_\w+|[0-9a-f-]{36}/g, '…');

const eventTypeOf = ({ eventType }: { eventType: string }) => eventType;
