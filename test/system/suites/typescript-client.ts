import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  type api,
  ConflictError,
  type FeedEvent,
  NotFoundError,
  PermissionError,
  RecordingRequest,
  UploadError,
} from '@recording-request/client';
import { fileCursor, saveTo } from '@recording-request/client/files';
import { startReceiver } from '@recording-request/harness/webhook-receiver';
import { until } from '@recording-request/testing/wait';
import { SYSTEM_WAIT } from '../harness/limits.ts';
import { PNG } from '../harness/picture.ts';
import { type RecordingProxy, startRecordingProxy } from '../harness/recording-proxy.ts';
import type { SeedData } from '../harness/seed.ts';

const SECRET = `whsec_${Buffer.from('the 32 bytes of a secret, or so.').toString('base64')}`;
const PEOPLE_CSV = 'name,reference,meta.team\nCem,C-1,North\nDana,C-2,South\n';
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const isZip = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, 2)).toString() === 'PK';

/** Plays an integrator's work through the TypeScript client, and checks that it has a method for every operation. */
export function typescriptClient({ system, ada, full, clip, mute }: SeedData): void {
  describe('the TypeScript client', () => {
    let proxy: RecordingProxy;
    let client: RecordingRequest;
    let scratch: string;
    let project: api.ProjectCreated;
    before(async () => {
      proxy = await startRecordingProxy(system.baseUrl);
      client = new RecordingRequest({ baseUrl: proxy.url, token: ada.token });
      scratch = await mkdtemp(join(tmpdir(), 'recording-request-client-'));
    });
    after(async () => {
      await proxy[Symbol.asyncDispose]();
      await rm(scratch, { recursive: true, force: true });
    });

    test('reads the descriptions and the owner', async () => {
      assert.equal((await client.openApi()).openapi, '3.1.0');
      assert.match(await client.docs(), /^# Recording Request/);
      for (const form of ['page', 'recorder'] as const) assert.match(await client.docs(form), /^<!doctype html>/i);
      for (const form of ['recorderMarkdown', 'llms'] as const) assert.match(await client.docs(form), /^# /m);
      assert.equal((await client.me()).userName, 'Ada');
    });

    test('creates a project, changes it and finds it', async () => {
      project = await client.projects.create({
        script: '- Your first visit',
        ...{ projectName: 'By TypeScript alone', count: 2, sharedLinkEnabled: true, sharedLinkMaxUses: 5 },
        ...{ recipients: [{ name: 'Ana', reference: 'A-1' }], noteEnabled: true },
      });
      const { projectId } = project;
      assert.equal((await client.projects.update(projectId, { successMessage: 'Thanks' })).successMessage, 'Thanks');
      assert.ok((await client.projects.close(projectId)).closedAt);
      assert.equal((await client.projects.reopen(projectId)).closedAt, null);
      assert.equal((await client.projects.get(projectId)).projectName, 'By TypeScript alone');
      const found = await client.projects.list({ q: 'TypeScript alone', limit: 1 }).all(5);
      assert.deepEqual(
        found.map(each => each.projectId),
        [projectId],
      );
      const all: string[] = [];
      for await (const each of client.projects.list({ limit: 2 })) all.push(each.projectId);
      assert.equal(new Set(all).size, all.length);
      assert.ok(all.includes(projectId) && all.includes(full.projectId));
      const { projectToken } = await client.projects.rotateDashboardToken(projectId);
      assert.notEqual(projectToken, project.projectToken);
      await assert.rejects(client.dashboard(project.projectToken).overview(), NotFoundError);
      assert.equal((await client.dashboard(projectToken).overview()).project.projectId, projectId);
    });

    test('sets the brand of the owner and the logo of a project', async () => {
      const { projectId } = project;
      const brand = { name: 'Ada & Co', accent: '#8c2f39' };
      assert.deepEqual((await client.updateMe({ brand })).brand, brand);
      assert.equal((await client.updateMe({ brand: null })).brand, null);
      assert.equal((await client.projects.get(projectId)).brand, null);
      await assert.rejects(client.projects.logo(projectId).bytes(), NotFoundError);
      const { brand: withLogo } = await client.projects.setLogo(projectId, PNG);
      assert.equal(withLogo?.logoUrl, `${system.baseUrl}/api/projects/${projectId}/logo`);
      assert.deepEqual(Buffer.from(await client.projects.logo(projectId).bytes()), PNG);
      await assert.rejects(client.projects.setLogo(projectId, Buffer.from('<svg/>')), /PNG, JPEG or WebP/);
      await assert.rejects(client.projects.setLogo(projectId, Buffer.alloc(65_537)), /65,?536/);
      assert.equal((await client.projects.removeLogo(projectId)).brand, null);
    });

    test('adds people from JSON and from a table, finds one, and reminds', async () => {
      const { projectId } = project;
      const checked = await client.links.check(projectId, 'name,dueAt\nEve,tomorrow\n');
      assert.deepEqual([checked.valid, checked.invalid.map(({ line, field }) => [line, field])], [0, [[2, 'dueAt']]]);
      assert.equal((await client.links.check(projectId, { links: [{ name: 'Ben' }] })).valid, 1);
      assert.equal((await client.links.add(projectId, { links: [{ name: 'Ben', reference: 'B-1' }] })).created, 1);
      assert.equal((await client.links.add(projectId, PEOPLE_CSV)).created, 2);
      await assert.rejects(client.links.add(projectId, PEOPLE_CSV), ConflictError);
      const again = await client.links.add(projectId, PEOPLE_CSV, { onDuplicate: 'skip' });
      assert.deepEqual([again.created, again.skipped.length], [0, 2]);
      const names: (string | undefined | null)[] = [];
      for await (const link of client.links.list(projectId, { limit: 2 })) names.push(link.recipient?.name);
      assert.deepEqual(names, ['Ana', undefined, 'Ben', 'Cem', 'Dana']);
      const [ben] = await client.links.list(projectId, { reference: 'B-1' }).all(1);
      await client.links.update(projectId, ben!.tokenId, { metadata: { team: 'East' } });
      assert.equal((await client.links.remind(projectId, ben!.tokenId)).remindersSent, 1);
      const acted = await client.links.act(projectId, { action: 'remind', tokenIds: [ben!.tokenId] });
      assert.deepEqual([acted.done, acted.links[0]!.code], [0, 'reminded_recently']);
      assert.match(await client.links.csv(projectId, { state: 'invited' }).text(), /"Ben","B-1".*East/);
      assert.match(Buffer.from(await client.links.qrCode(projectId).bytes()).toString('latin1'), /^.PNG/);
    });

    test('sends recordings, one after an interruption, and discards one', async () => {
      const [ana] = project.recipientUrls;
      const recorder = client.recorder(ana!.token);
      await recorder.opened();
      const { responseSessionId } = await recorder.begin();
      await recorder.note(responseSessionId, 'from the client');
      assert.equal(await recorder.script({ responseSessionId }).text(), '- Your first visit');
      let address = '';
      const controller = new AbortController();
      const onAddress = (given: string) => {
        address = given;
        controller.abort(new Error('the power went'));
      };
      const options = { responseSessionId, fileType: mute.mimeType, answerMode: 'file' as const, chunkBytes: 500 };
      await assert.rejects(
        recorder.upload(mute.bytes, { ...options, onAddress, signal: controller.signal }),
        /the power went/,
      );
      const progress: number[] = [];
      const onProgress = (sent: number) => void progress.push(sent);
      const landed = await recorder.upload(createReadStream(mute.path), { ...options, address, onProgress });
      assert.equal(landed.response.complete, true);
      assert.equal(progress.at(-1), mute.bytes.length);
      const submission = await client.submissions.get(project.projectId, landed.submissionId);
      const { note, recipient, answerMode } = submission;
      assert.deepEqual([note, recipient?.name, answerMode], ['from the client', 'Ana', 'file']);

      const shared = client.recorder(project.sharedLink!.recipientUrl.replace(system.baseUrl, proxy.url));
      const other = await shared.begin();
      const stop = new AbortController();
      const given = Promise.withResolvers<string>();
      const interrupted = shared.upload(new Blob([mute.bytes]), {
        ...{ responseSessionId: other.responseSessionId, chunkBytes: 500, signal: stop.signal },
        onAddress: url => {
          given.resolve(url);
          stop.abort();
        },
      });
      await assert.rejects(interrupted, { name: 'AbortError' });
      await shared.discard(await given.promise);
      const text = Buffer.from('This is no video.');
      const refused = shared.upload(text, { responseSessionId: other.responseSessionId, fileType: 'video/webm' });
      await assert.rejects(refused, (error: UploadError) => error instanceof UploadError && error.code === 'not_video');
      await shared.upload(new Uint8Array(mute.bytes), { responseSessionId: other.responseSessionId });
      assert.equal((await client.submissions.list(project.projectId).all(5)).length, 2);
    });

    test('reads a clip: its video is resumed after a lost connection and saved whole', async () => {
      const at = [full.projectId, clip.submissionId] as const;
      const { submissions } = client;
      const [found] = await submissions.list(full.projectId, { q: 'please', transcriptStatus: 'completed' }).all(1);
      assert.equal(found?.submissionId, clip.submissionId);
      const { size, sha256 } = await submissions.video(...at).info();
      proxy.cutAfter(Math.floor(size! / 2));
      const path = join(scratch, 'clip.webm');
      await saveTo(submissions.video(...at), path);
      const saved = await readFile(path);
      assert.deepEqual([saved.length, hashOf(saved), proxy.cuts()], [size, sha256, 1]);
      const audio = await submissions.audio(...at).info();
      assert.equal(hashOf(await submissions.audio(...at).bytes()), audio.sha256);
      for (const position of ['start', 'middle', 'end'] as const) {
        const opened = await submissions.thumbnail(...at, position).open();
        assert.match(String(opened.info.sha256), /^[0-9a-f]{64}$/);
        assert.equal(hashOf(Buffer.concat(await Array.fromAsync(opened))), opened.info.sha256);
      }
      assert.match(await submissions.transcript(...at, 'txt').text(), /please open/);
      assert.match(await submissions.transcript(...at, 'vtt').text(), /^WEBVTT/);
      assert.match(await submissions.transcript(...at, 'srt').text(), /^1\r?\n00:/);
      assert.equal((await submissions.update(...at, { selected: true })).selected, true);
      assert.equal((await submissions.rate(...at, { rating: 4 })).rating, 4);
      const earlier = (await submissions.review(...at)).notes;
      const { notes } = await submissions.addNote(...at, { atSec: 0.5, text: 'Begin here' });
      const note = notes.find(({ text }) => text === 'Begin here');
      const review = await submissions.review(...at);
      assert.deepEqual([review.rating, review.notes], [4, notes]);
      assert.deepEqual(await client.dashboard(full.projectToken).review(clip.submissionId), review);
      assert.deepEqual((await submissions.removeNote(...at, note!.id)).notes, earlier);
      assert.equal((await submissions.rate(...at, { rating: null })).rating, null);
      await assert.rejects(
        submissions.requestTranscript(...at),
        (error: ConflictError) => error.is('transcript_not_failed') && error.requestId !== undefined,
      );
      await assert.rejects(submissions.requestMedia(...at), (error: ConflictError) => error.is('media_not_failed'));
      const url = clip.videoUrl.replace(system.baseUrl, proxy.url);
      assert.equal(hashOf(await client.download(url).bytes()), sha256);
    });

    test('exports a project', async () => {
      const { exports } = client;
      const id = full.projectId;
      const document = await exports.json(id, { identities: 'none' }).json<api.ExportDocument>();
      assert.ok(document.submissions.some(({ submissionId }) => submissionId === clip.submissionId));
      assert.match(await exports.csv(id).text(), /^"?submissionId/);
      assert.match(await exports.transcripts(id).text(), /please open/);
      assert.ok(isZip(await exports.transcriptsZip(id).bytes()));
      const { size } = await exports.zip(id).info();
      proxy.cutAfter(Math.floor(size! / 2));
      const path = join(scratch, 'project.zip');
      await saveTo(exports.zip(id), path);
      const bytes = await readFile(path);
      assert.ok(isZip(bytes) && bytes.length === size);
      assert.equal(proxy.cuts(), 2);
    });

    test('gets webhooks, verifies them, and sends them again', async () => {
      await using receiver = await startReceiver();
      const { projectId } = project;
      const received: string[] = [];
      const settings = { webhookUrl: receiver.url, webhookSecret: SECRET, webhookEvents: ['link.closed' as const] };
      await client.projects.update(projectId, settings);
      assert.equal((await client.webhooks.test(projectId)).state, 'delivered');
      await client.webhooks.test(projectId, { type: 'link.reminder_due' });
      const [dana] = await client.links.list(projectId, { reference: 'C-2' }).all(1);
      await client.links.update(projectId, dana!.tokenId, { disabled: true });
      await receiver.waitFor(3);
      assert.equal((await client.webhooks.redeliverAll(projectId)).count, 1);
      await receiver.waitFor(4);
      for (const { body, headers } of receiver.received) {
        const event = await client.webhooks.unwrap(body, headers, SECRET);
        received.push(event.type);
        if (event.type === 'link.closed') assert.equal(event.data.link.recipient?.reference, 'C-2');
      }
      assert.deepEqual(received, ['webhook.test', 'link.reminder_due', 'link.closed', 'link.closed']);
      const [last] = await client.webhooks.deliveries(projectId, { limit: 5 }).all(1);
      await client.webhooks.redeliver(projectId, last!.deliveryId);
      await receiver.waitFor(5);
    });

    test('follows the events, and continues after a stop without a loss', async () => {
      const { projectId } = project;
      const options = { projectId, limit: 2, cursor: fileCursor(join(scratch, 'events.cursor')), untilCaughtUp: true };
      const all: FeedEvent[] = [];
      for (let after: string | undefined, isLast = false; !isLast; ) {
        const page = await client.eventsPage({ projectId, after });
        all.push(...page.events);
        ({ nextCursor: after, caughtUp: isLast } = page);
      }
      assert.ok(all.length > 3);
      const seen: string[] = [];
      for (let stops = 0; stops <= all.length; stops++)
        for await (const { eventId } of client.events(options)) {
          seen.push(eventId);
          if (seen.length % 3 === 2) break;
        }
      assert.deepEqual(
        [...new Set(seen)].slice(0, all.length),
        all.map(({ eventId }) => eventId),
        'each event at least once, in order',
      );
    });

    test('reads a project by its dashboard token alone', async () => {
      const anybody = new RecordingRequest({ baseUrl: proxy.url });
      const dashboard = anybody.dashboard(full.projectToken);
      assert.equal((await dashboard.overview()).project.projectId, full.projectId);
      assert.ok(await dashboard.webhookEndpoint());
      assert.ok((await dashboard.links().all(10)).length >= 3);
      const [first] = await dashboard.submissions({ q: 'please' }).all(1);
      const { submissionId } = await dashboard.submission(first!.submissionId);
      const { sha256, type } = await dashboard.video(submissionId).info();
      assert.match(String(type), /^video\//);
      assert.equal(hashOf(await dashboard.video(submissionId).bytes()), sha256);
      assert.ok((await dashboard.audio(submissionId).info()).size! > 0);
      assert.ok((await dashboard.audio(submissionId).bytes()).length > 0);
      for (const position of ['start', 'middle', 'end'] as const)
        assert.ok((await dashboard.thumbnail(submissionId, position).bytes()).length > 0);
      for (const format of ['txt', 'vtt', 'srt'] as const)
        assert.match(await dashboard.transcript(submissionId, format).text(), /please open/);
      assert.ok((await dashboard.exportJson().json<api.ExportDocument>()).submissions.length > 0);
      assert.match(await dashboard.exportCsv({ bom: 1 }).text(), /submissionId/);
      assert.match(await dashboard.exportTranscripts().text(), /please open/);
      assert.ok(isZip(await dashboard.exportTranscriptsZip().bytes()));
      for (const archive of [dashboard.exportZip(), dashboard.exportSelected()]) {
        assert.ok((await archive.info()).size! > 0);
        assert.ok(isZip(await archive.bytes()));
      }
      assert.match(Buffer.from(await dashboard.qrCode().bytes()).toString('latin1'), /^.PNG/);
      await assert.rejects(anybody.me(), /Set the option token/);
    });

    test('erases a clip, a link and a project, each after a proposal', async () => {
      const { projectId } = project;
      const reader = new RecordingRequest({ baseUrl: proxy.url, token: ada.token });
      const [last] = await reader.submissions.list(projectId).all(1);
      const { submissionId } = last!;
      const proposal = await reader.submissions.erase(projectId, submissionId);
      assert.equal(proposal.state, 'proposed');
      await reader.submissions.erase(projectId, submissionId, { confirm: proposal.confirm! });
      await assert.rejects(reader.submissions.get(projectId, submissionId), NotFoundError);
      const [cem] = await reader.links.list(projectId, { reference: 'C-1' }).all(1);
      const ofLink = await reader.links.erase(projectId, cem!.tokenId);
      assert.deepEqual([ofLink.state, ofLink.tokenId], ['proposed', cem!.tokenId]);
      await reader.links.erase(projectId, cem!.tokenId, { confirm: ofLink.confirm! });
      await until(
        'the erasure of the link',
        async () => (await reader.links.erase(projectId, cem!.tokenId)).state === 'erased',
        SYSTEM_WAIT,
      );
      const { confirm } = await reader.projects.erase(projectId);
      await reader.projects.erase(projectId, { confirm: confirm! });
      const proof = await until(
        'the erasure of the project',
        async () => {
          const erasure = await reader.projects.erasure(projectId);
          return erasure.state === 'erased' && erasure;
        },
        SYSTEM_WAIT,
      );
      assert.equal(proof.left, 0);
      await assert.rejects(reader.projects.get(projectId), NotFoundError);
    });

    test('reports a missing scope by its code', async () => {
      const { secret: token } = await system.accounts.createToken(ada.userId, { scopes: ['profile:read'] });
      const narrow = new RecordingRequest({ baseUrl: proxy.url, token });
      assert.ok(await narrow.me());
      await assert.rejects(
        narrow.projects.list().first(),
        (error: PermissionError) => error instanceof PermissionError && error.is('scope_missing'),
      );
    });

    test('has called every operation of the description', async () => {
      const { paths } = (await client.openApi()) as { paths: Record<string, Record<string, { operationId: string }>> };
      const uncalled: string[] = [];
      for (const [path, methods] of Object.entries(paths)) {
        const pattern = path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+');
        for (const [method, { operationId }] of Object.entries(methods)) {
          const called = new RegExp(`^${method.toUpperCase()} ${pattern}$`);
          if (![...proxy.seen].some(each => called.test(each))) uncalled.push(operationId);
        }
      }
      assert.deepEqual(uncalled, [], 'add a method to clients/typescript, and call it here');
    });
  });
}
