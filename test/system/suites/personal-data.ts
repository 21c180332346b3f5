import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, test } from 'node:test';
import type { ProjectCreatedJson } from '@recording-request/contract/resources/project';
import type { TraceReceiver } from '@recording-request/demo/trace-receiver';
import { ok, refused } from '@recording-request/harness/http-client';
import type { SecretBox } from '@recording-request/kit/secret-box';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { until } from '@recording-request/testing/wait';
import { admin } from '../harness/admin.ts';
import { SYSTEM_WAIT } from '../harness/limits.ts';
import { type SeedData, submissionsOf } from '../harness/seed.ts';
import { type Held, type Stores, search } from '../harness/stores.ts';

const marker = (what: string) => `${what}-${randomUUID()}`;
const person = { name: marker('name'), reference: marker('reference'), email: `${marker('mail')}@example.com` };
const metadata = { [marker('key')]: marker('value') };
const WRONG = marker('wrong');

/** The texts that no log, span, metric, record, document or object may have. */
const PERSONAL = new Map([
  [person.name, 'a name'],
  [person.reference, 'a reference'],
  [person.email, 'an email address'],
  ...Object.entries(metadata).flatMap(([key, value]): [string, string][] => [
    [key, 'a key of metadata'],
    [value, 'a value of metadata'],
  ]),
  [WRONG, 'a refused value'],
]);

/**
 * Tests that personal data is only in sealed texts of the projects service, and that an erasure removes these texts.
 * Runs before the suite that erases the seed's users.
 */
export function personalData(seed: SeedData, stores: Stores, traces: TraceReceiver, secrets: SecretBox): void {
  const { ada, mute, system } = seed;
  let project: ProjectCreatedJson;
  let path: string;
  let submissionId: string;
  /** The clip of the shared link, whose response states the same reference. */
  let referred: string;

  const received = function* (): Iterable<Held> {
    for (const body of traces.bodies) yield { where: 'telemetry', bytes: Buffer.from(body) };
  };
  const everywhere = async (texts: ReadonlyMap<string, string>) => {
    const places = [stores.logs(), received(), await stores.records(), stores.documents(), stores.objects()];
    const results = await Promise.all(places.map(place => search(place, texts)));
    for (const { looked } of results) assert.ok(looked > 1, 'the search had no input');
    return results.flatMap(({ found }) => found);
  };
  // For a day, the stored answer to a request with an Idempotency-Key contains the people of the request: see
  // docs/erasing.md.
  const opened = async () => {
    const texts: Held[] = [];
    for await (const text of stores.unsealed(secrets)) if (!text.where.includes('idempotency')) texts.push(text);
    const { looked, found } = await search(texts, PERSONAL);
    assert.ok(looked > 1, 'the search opened no sealed text');
    return [...new Set(found.map(each => each.replace(/^document of \w+?_(\w+\.\w+), (\w+) .*/, '$1 $2')))].toSorted();
  };
  const feed = async () => {
    const { events } = ok(await ada.ask(`/api/events?projectId=${project.projectId}`));
    return (events as { type: string; tokenId: string; erased: boolean; data: unknown }[]).map(
      ({ type, tokenId, erased, data }) => ({ what: `${type} ${tokenId}`, erased, data }),
    );
  };
  const erase = async (id: string) => {
    const done = await admin(system, 'erase', 'submission', id, '--yes');
    assert.equal(done.code, 0, done.stderr);
    return done.stdout;
  };
  const named = async () => (await submissionsOf(ada, project.projectId)).map(({ recipient }) => recipient?.name);
  const dashboard = async () => (await seed.ask(`/project/${project.projectToken}`)).text();

  /** Sends every kind of request that contains or shows the person, including wrong requests. */
  async function use(): Promise<void> {
    const { tokenId } = project.recipientUrls[0]!;
    const link = `${path}/links/${tokenId}`;
    const patch = (json: object) => ada.ask(link, { method: 'PATCH', json });
    ok(await patch({ recipient: person, metadata }));
    refused(await patch({ recipient: { ...person, email: WRONG } }), 400);
    refused(await patch({ recipient: { ...person, phone: WRONG } }), 400);
    refused(await patch({ metadata: { ...metadata, count: 1 } }), 400);
    const sought = `reference=${person.reference}`;
    for (const query of [sought, `${sought}&${sought}`, `${sought}&limit=${WRONG}`, `q=${person.name}`])
      await ada.ask(`${path}/submissions?${query}`);
    for (const at of [`${path}/links?${sought}`, `${path}/links.csv`, `${path}/submissions/${submissionId}`])
      await ada.ask(at);
    const broken = { method: 'POST', body: `{"links":[{"name":"${person.name}"` };
    await ada.ask(`${path}/links`, { ...broken, headers: { 'content-type': 'application/json' } });
    const table = `name,reference,email\n${person.name},${person.reference},${WRONG}\n`;
    await ada.ask(`${path}/links`, { method: 'POST', body: table, headers: { 'content-type': 'text/csv' } });
    const { pathname } = new URL(project.sharedLink!.recipientUrl);
    await seed.ask(`${pathname}?ref=${person.reference}`);
    for (const file of ['export.json', 'export.csv', 'export/transcripts.txt', 'export/project.zip?names=reference']) {
      const answer = await ada.ask(`${path}/${file}`);
      assert.equal(answer.status, 200, file);
      assert.ok(Buffer.from(answer.bytes).includes(person.reference), file);
    }
  }

  describe('personal data', () => {
    before(async () => {
      const json = {
        projectName: 'Personal',
        count: 2,
        sharedLinkEnabled: true,
        webhookUrl: ok(await ada.ask(`/api/projects/${seed.full.projectId}`)).webhookUrl,
        webhookEvents: ['link.recording'],
        acceptReference: true,
        recipients: [{ ...person, metadata }],
      };
      const headers = { 'idempotency-key': randomUUID() };
      project = ok(await ada.ask('/api/projects', { method: 'POST', json, headers }));
      assert.deepEqual(ok(await ada.ask('/api/projects', { method: 'POST', json, headers })), project);
      path = `/api/projects/${project.projectId}`;
      const link = project.recipientUrls[0]!.recipientUrl;
      submissionId = await sendClip(link, mute, { responseSessionId: await beginResponse(link) });
      const shared = project.sharedLink!.recipientUrl;
      const responseSessionId = randomUUID();
      const begin = { method: 'POST', json: { responseSessionId, reference: person.reference } };
      ok(await seed.ask(`${new URL(shared).pathname}/responses`, begin), 201);
      referred = await sendClip(shared, mute, { responseSessionId });
      await until(
        'the media of the clip and its webhook',
        async () => {
          const clips = await submissionsOf(ada, project.projectId);
          const { deliveries } = ok(await ada.ask(`${path}/webhook-deliveries`));
          const sent = deliveries.filter((each: { state: string }) => each.state === 'delivered');
          const isReady = clips.every(({ mediaStatus }) => mediaStatus === 'ready');
          const begun = (await feed()).filter(({ what }) => what.startsWith('link.recording'));
          return isReady && sent.length >= 4 && begun.length === 2;
        },
        SYSTEM_WAIT,
      );
      await use();
    });

    test('no log, span, metric, record, document or object has it in plain text while it is there', async () => {
      assert.deepEqual(await named(), [null, person.name]);
      assert.match(await dashboard(), new RegExp(person.name));
      assert.deepEqual(await everywhere(PERSONAL), []);
    });

    test('sealed texts of links, responses, webhooks and the feed have it', async () => {
      const link = await stores.collection('projects', 'links').findOne({ _id: project.recipientUrls[0]!.tokenId });
      assert.match(String(link!.sealedInvitation), /^k1[.:]/, 'a sealed text starts with the name of its key');
      assert.deepEqual(await opened(), [
        'projects.links sealedInvitation',
        'projects.responses sealedReference',
        'webhooks.deliveries sealedBody',
        'webhooks.feed data',
      ]);
    });

    test('an erased clip shows nobody, on no route, and takes its person along', async () => {
      const { tokenId } = project.recipientUrls[0]!;
      assert.match(await erase(submissionId), / 1 person$/m);
      assert.deepEqual(await named(), [null]);
      refused(await ada.ask(`${path}/submissions/${submissionId}`), 404);
      const ofLink = await submissionsOf(ada, project.projectId, `&tokenId=${tokenId}`);
      assert.deepEqual(ofLink, []);
      assert.doesNotMatch(await dashboard(), new RegExp(person.name));
      const { recipientUrls } = ok(await ada.ask(`${path}/links`));
      assert.deepEqual([recipientUrls[0].recipient, recipientUrls[0].metadata], [null, {}]);
      const deliveries = await stores.collection('webhooks', 'deliveries').find({ submissionId }).toArray();
      assert.ok(deliveries.length > 0, 'the deliveries stay');
      for (const { sealedBody } of deliveries) assert.equal(sealedBody, undefined, 'without their bodies');
      const begun = (await feed()).find(({ what }) => what === `link.recording ${tokenId}`);
      assert.deepEqual(begun, { what: `link.recording ${tokenId}`, erased: true, data: null });
    });

    test('with the clip of the response on the shared link, no sealed text has the person any more', async () => {
      assert.match(await erase(referred), / 1 reference$/m);
      assert.deepEqual(await opened(), []);
      assert.deepEqual(await everywhere(PERSONAL), []);
      assert.deepEqual(ok(await ada.ask(`${path}/links?reference=${person.reference}`)).recipientUrls, []);
    });

    test('the erasure of a project removes the sealed texts', async () => {
      const link = `${path}/links/${project.recipientUrls[1]!.tokenId}`;
      ok(await ada.ask(link, { method: 'PATCH', json: { recipient: person, metadata } }));
      const links = await stores.collection('projects', 'links').find({ projectId: project.projectId }).toArray();
      const sealed = links.map(({ sealedInvitation }) => sealedInvitation).filter(each => each !== undefined);
      assert.equal(sealed.length, 1);
      const texts = new Map([...PERSONAL, [String(sealed[0]), 'a sealed text'] as const]);
      assert.ok((await everywhere(texts)).length > 0, 'the search finds the sealed text before the erasure');
      const done = await admin(system, 'erase', 'project', project.projectId, '--yes');
      assert.equal(done.code, 0, done.stderr);
      assert.deepEqual(await everywhere(texts), []);
      refused(await ada.ask(`${path}/links`), 404);
    });
  });
}
