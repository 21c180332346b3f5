import assert from 'node:assert/strict';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '@recording-request/fixtures/run';
import type { GetInvitationsRequest, GetInvitationsResponse } from '@recording-request/proto/projects/v1/projects';
import { touchLink } from '../src/rpc/clips/touch-link.ts';
import { OWNER, openProjectsOfClips } from './project-of-clips.ts';

const { clipsOf, models } = openProjectsOfClips();

/** Returns a projects service whose links, `link 0` and so on, are meant for people with these references. */
function invitingProjects<P extends { getProject: () => Promise<{ project: object }> }>(
  projects: P,
  references: string[],
): P {
  return {
    ...projects,
    getProject: async () => ({ project: { ...(await projects.getProject()).project, hasInvitations: true } }),
    getInvitations: async ({ origins }: GetInvitationsRequest): Promise<GetInvitationsResponse> => ({
      invitations: origins.map(({ linkId }) => {
        const reference = references[Number(linkId.slice('link '.length))] ?? '';
        return { person: { name: '', reference, email: '', locale: '', verified: true }, metadata: {} };
      }),
    }),
  };
}

/** Tests an archive with Python's zipfile. Returns the names that zipfile finds. */
async function namesIn(zip: Buffer): Promise<string[]> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'names-'));
  const path = join(directory.path, 'archive.zip');
  await writeFile(path, zip);
  const read =
    'import json,sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(json.dumps(z.namelist()))';
  return JSON.parse(await run('python3', ['-c', read, path]));
}

const NAMES: [reference: string, name: string][] = [
  ['P-17', 'P-17 - '],
  ['CON', 'CON - '],
  ['nul.txt', '_nul.txt - '],
  ['../../etc/passwd.', 'etc passwd - '],
  ['ends with dots... ', 'ends with dots - '],
  ['a\u202Egpj.exe\u2066<b>:"|?*\\\r\n\0', 'agpj.exe b - '],
  ['مرجع ١٧', 'مرجع ١٧ - '],
  ['客户', '客户 - '],
  ['\u200b ', ''],
  ['', ''],
];

test('names of files begin with the reference, are safe, and are in no database', async () => {
  const { open, bytesOf, context, projectId, clip } = await clipsOf(52_000, undefined, NAMES.length + 1);
  const { submissions, archives, archivePages } = models();
  const long = '漢'.repeat(200);
  const references = [...NAMES.map(([reference]) => reference), long];
  for (const index of references.keys()) {
    const link = { linkId: `link ${index}`, link: { position: 1 } };
    await submissions.updateOne({ _id: clip(index)._id, projectId }, { $set: link });
  }
  Object.assign(context, { projects: invitingProjects(context.projects, references) });
  const archive = await open({ referenceNames: true });
  const bytes = await bytesOf(archive);
  const names = await namesIn(bytes);
  const videos = names.filter(name => name.startsWith('videos/')).map(name => name.slice('videos/'.length));
  const ends = references.map((_, index) => `${String(index + 1).padStart(4, '0')}-${clip(index)._id}.webm`);
  assert.deepEqual(
    videos.slice(0, NAMES.length),
    NAMES.map(([, name], index) => name + ends[index]),
  );
  const last = videos.at(-1)!;
  assert.ok(last.startsWith('漢漢') && last.endsWith(ends.at(-1)!) && Buffer.byteLength(last) <= 100, last);
  for (let offset = 0; offset < bytes.length; offset += 4_001)
    assert.ok((await bytesOf(archive, offset)).equals(bytes.subarray(offset)), `from byte ${offset}`);
  const kept = JSON.stringify([await archives.find({ projectId }), await archivePages.find({})]);
  for (const [, name] of NAMES.slice(0, 8)) assert.ok(!kept.includes(name.slice(0, -3)), name);
  const plain = await namesIn(await bytesOf(await open({ referenceNames: true, withoutPeople: true })));
  assert.deepEqual(
    plain.filter(name => name.startsWith('videos/')),
    ends.map(end => `videos/${end}`),
  );
});

test('TouchLink ends the archives of a project that show the link', async () => {
  const { open, locate, context, projectId } = await clipsOf(53_000, undefined, 2);
  const begun = await open();
  const touch = touchLink(context as never);
  await touch({ ownerId: OWNER, projectId, linkId: 'without clips' });
  assert.equal((await open({ etag: begun.etag })).id, begun.id);
  await touch({ ownerId: OWNER, projectId, linkId: 'link' });
  await assert.rejects(locate(begun.id, 0), { code: 'gone' });
  assert.notEqual((await open({ etag: begun.etag })).etag, begun.etag, 'If-Range gets a whole archive');
});
