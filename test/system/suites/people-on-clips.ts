import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { ProjectCreatedJson } from '@recording-request/contract/resources/project';
import type { RecipientJson } from '@recording-request/contract/resources/recipient';
import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import { ok, refused } from '@recording-request/harness/http-client';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { until } from '@recording-request/testing/wait';
import { SYSTEM_WAIT } from '../harness/limits.ts';
import { readCsv, readZip } from '../harness/python.ts';
import { type SeedData, submissionsOf } from '../harness/seed.ts';

const person = { name: 'A guest from Łódź', reference: 'CON', email: 'guest@example.com', locale: 'pl' };
const other = { name: '=1+1', reference: 'ref/٣\u202e.. ', email: null, locale: null };
const metadata = { city: 'Łódź', 'a;b': '=2' };
const LATE = '2020-01-01T00:00:00.000Z';
const EARLY = '2120-01-01T00:00:00.000Z';

/** Tests that every answer with a clip also has the person of the clip's link, except with `identities=none`. */
export function peopleOnClips(seed: SeedData): void {
  const { ada, bob, mute, system } = seed;
  let project: ProjectCreatedJson;
  let path: string;
  /** The clips of the person, of the other person, and of the shared link. */
  let clips: [SubmissionJson, SubmissionJson, SubmissionJson];

  const land = async (link: string) => sendClip(link, mute, { responseSessionId: await beginResponse(link) });
  const list = (query = '') => submissionsOf(ada, project.projectId, query);
  const one = async ({ submissionId }: SubmissionJson) => ok(await ada.ask(`${path}/submissions/${submissionId}`));
  const bytes = async (file: string) => {
    const answer = await ada.ask(`${path}/${file}`);
    assert.equal(answer.status, 200, `${file}: ${answer.text()}`);
    return answer.bytes;
  };
  const patch = async (index: number, json: object) => {
    const { tokenId } = project.recipientUrls[index]!;
    return ok(await ada.ask(`${path}/links/${tokenId}`, { method: 'PATCH', json }));
  };
  const namesOf = (all: SubmissionJson[]) => all.map(({ recipient }) => recipient?.name ?? null);

  describe('people on clips', () => {
    before(async () => {
      project = await ada.createProject({
        projectName: 'With people',
        count: 3,
        sharedLinkEnabled: true,
        recipients: [
          { ...person, metadata, dueAt: EARLY },
          { ...other, dueAt: LATE },
        ],
      });
      path = `/api/projects/${project.projectId}`;
      const links = [...project.recipientUrls.slice(0, 2), project.sharedLink!];
      const ids: string[] = [];
      for (const { recipientUrl } of links) ids.push(await land(recipientUrl));
      // Media work changes clips too, and so their ETags and archives.
      const ready = await until(
        'the media of the clips',
        async () => {
          const all = await list();
          return all.every(({ mediaStatus }) => mediaStatus === 'ready') && all;
        },
        SYSTEM_WAIT,
      );
      clips = ids.map(id => ready.find(({ submissionId }) => submissionId === id)!) as typeof clips;
    });

    test('a clip shows the person, metadata and lateness of its link', async () => {
      const [first, second, shared] = clips;
      assert.deepEqual(first.recipient, { ...person, verified: true } satisfies RecipientJson);
      assert.deepEqual(first.metadata, metadata);
      assert.equal(second.recipient?.name, other.name);
      assert.deepEqual(second.metadata, {});
      assert.deepEqual([first.late, second.late, shared.late], [false, true, false]);
      assert.deepEqual([shared.recipient, shared.metadata], [null, {}]);
      for (const clip of clips) assert.deepEqual(await one(clip), clip);
      const dashboard = `/project/${project.projectToken}/submissions`;
      assert.deepEqual(ok(await seed.ask(dashboard)).submissions, await list());
      assert.deepEqual(ok(await seed.ask(`${dashboard}/${first.submissionId}`)), first);
      const page = await seed.ask(`/project/${project.projectToken}`, { headers: { accept: 'text/html' } });
      assert.match(page.text(), /A guest from Łódź/);
    });

    test('a reference finds the clips of its person', async () => {
      const found = async (reference: string) =>
        (await list(`&reference=${encodeURIComponent(reference)}`)).map(({ submissionId }) => submissionId);
      assert.deepEqual(await found(person.reference), [clips[0].submissionId]);
      assert.deepEqual(await found('nobody'), []);
      const { tokenId } = project.recipientUrls[1]!;
      assert.deepEqual(await list(`&reference=${person.reference}&tokenId=${tokenId}`), []);
      refused(await bob.ask(`${path}/submissions?reference=${person.reference}`), 404);
      refused(await ada.ask(`${path}/submissions?reference=`), 400);
      refused(await ada.ask(`${path}/submissions?recipient=x`), 400);
    });

    test('omit=transcripts leaves out the texts of transcripts alone', async () => {
      const { submissions } = ok(await ada.ask(`/api/projects/${seed.full.projectId}/submissions`));
      const omitted = ok(await ada.ask(`/api/projects/${seed.full.projectId}/submissions?omit=transcripts`));
      const without = submissions.map((each: SubmissionJson) => ({
        ...each,
        transcriptText: null,
        transcriptVtt: null,
      }));
      assert.deepEqual(omitted.submissions, without);
      refused(await ada.ask(`${path}/submissions?omit=notes`), 400);
    });

    test('exports have the people', async () => {
      const exported = JSON.parse(Buffer.from(await bytes('export.json')).toString());
      assert.deepEqual(
        exported.submissions.map((each: SubmissionJson) => each.recipient),
        clips.map(each => each.recipient),
      );
      assert.equal(exported.links.recipientUrls[0].recipient.name, person.name);
      const [row, escaped, none] = await readCsv(system.scratch, await bytes('export.csv'));
      assert.deepEqual(
        [
          row!.recipientName,
          row!.recipientReference,
          row!.recipientEmail,
          row!.recipientLocale,
          row!.recipientVerified,
        ],
        [person.name, person.reference, person.email, person.locale, 'true'],
      );
      assert.deepEqual(JSON.parse(row!.metadata!), metadata);
      assert.equal(escaped!.recipientName, `'${other.name}`);
      assert.deepEqual([row!.late, escaped!.late, none!.recipientName, none!.metadata], ['false', 'true', '', '{}']);
      const transcripts = Buffer.from(await bytes('export/transcripts.txt')).toString();
      assert.match(transcripts, /\nPerson: {5}A guest from Łódź \(CON\)\n/);
    });

    test('the names of files begin with the reference, safe for every system', async () => {
      const { entries } = await readZip(system.scratch, await bytes('export/project.zip?names=reference'));
      const [first, second, shared] = clips.map(({ submissionId }, index) => `000${index + 1}-${submissionId}.webm`);
      assert.deepEqual(
        entries.map(({ name }) => name).filter(name => name.startsWith('videos/')),
        [`videos/CON - ${first}`, `videos/ref ٣ - ${second}`, `videos/${shared}`],
      );
    });

    test('identities=none leaves out every person, and all names of files', async () => {
      const hidden = [person.name, person.email, 'ref/', 'ref ٣', 'Łódź', '"=2"', '=1+1', '(CON)', 'CON -', '"CON"'];
      const files = ['export.json', 'export.csv', 'export/transcripts.txt', 'export/project.zip'];
      for (const file of files) {
        const query = file.endsWith('.zip') ? '?names=reference&identities=none' : '?identities=none';
        const content = Buffer.from(await bytes(file + query));
        for (const text of hidden) assert.ok(!content.includes(text), `${file} has ${text}`);
      }
      const exported = JSON.parse(Buffer.from(await bytes('export.json?identities=none')).toString());
      const [link] = exported.links.recipientUrls;
      assert.deepEqual([link.recipient, link.metadata], [null, {}]);
      assert.deepEqual(
        exported.submissions.map((each: SubmissionJson) => [each.tokenId, each.late]),
        clips.map(each => [each.tokenId, each.late]),
      );
      refused(await ada.ask(`${path}/export.csv?names=reference`), 400);
      const dashboard = await seed.ask(`/project/${project.projectToken}/export.csv?identities=none`);
      assert.ok(dashboard.bytes.includes(Buffer.from(person.name)), 'the dashboard’s exports ignore other names');
    });

    test('a changed person changes ETags, changedAt and the archive of the clips', async () => {
      const etagOf = async (of: string) => (await ada.ask(`${path}/${of}`)).headers.get('etag')!;
      const routes = ['submissions', `submissions/${clips[0].submissionId}`, 'export/project.zip?names=reference'];
      const before = await Promise.all(routes.map(etagOf));
      const [, second] = clips;
      const changedAfter = encodeURIComponent(
        (await list())
          .map(({ changedAt }) => changedAt)
          .sort()
          .at(-1)!,
      );
      assert.deepEqual(await list(`&changedAfter=${changedAfter}`), []);
      await patch(0, { recipient: { ...person, name: 'Renamed' }, metadata: {}, dueAt: LATE });
      const [changed, ...rest] = await list(`&changedAfter=${changedAfter}`);
      assert.deepEqual(rest, []);
      assert.ok(changed!.changedAt > clips[0].changedAt);
      assert.deepEqual([changed!.recipient?.name, changed!.metadata, changed!.late], ['Renamed', {}, true]);
      assert.deepEqual(await one(clips[0]), changed);
      assert.deepEqual(await one(second), second);
      for (const [index, route] of routes.entries()) assert.notEqual(await etagOf(route), before[index], route);
      const headers = { range: 'bytes=10-', 'if-range': before[2]! };
      const resumed = await ada.ask(`${path}/export/project.zip?names=reference`, { headers });
      assert.equal(resumed.status, 200, 'a whole new archive');
      assert.ok(resumed.bytes.includes(Buffer.from('Renamed')));
      await patch(0, { recipient: null });
      assert.equal((await one(clips[0])).recipient, null);
      assert.ok(!Buffer.from(await bytes('export/project.zip')).includes('Renamed'));
    });

    test('the first person of a project appears at once', async () => {
      const plain = await ada.createProject({ projectName: 'Without people', count: 1 });
      const { tokenId, recipientUrl } = plain.recipientUrls[0]!;
      await land(recipientUrl);
      assert.deepEqual(namesOf(await submissionsOf(ada, plain.projectId)), [null]);
      const link = `/api/projects/${plain.projectId}/links/${tokenId}`;
      ok(await ada.ask(link, { method: 'PATCH', json: { recipient: { name: 'The first' } } }));
      assert.deepEqual(namesOf(await submissionsOf(ada, plain.projectId)), ['The first']);
    });
  });
}
