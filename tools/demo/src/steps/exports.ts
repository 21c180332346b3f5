import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExportDocumentJson } from '@recording-request/contract/resources/export-document';
import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import { run } from '@recording-request/fixtures/run';
import { expectAnswer, ok, send } from '@recording-request/harness/http-client';
import { check, checkEqual } from '../check.ts';
import type { Owner } from '../owner.ts';
import type { Show } from '../show.ts';
import type { Project, Projects } from './create-projects.ts';
import type { Videos } from './media.ts';
import type { Settled } from './settle.ts';

/** A program that reads the ZIP with a different implementation from the product's. */
const READ_ZIP = `
import hashlib, json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    bad = archive.testzip()
    files = [
        {"name": i.filename, "size": i.file_size, "sha256": hashlib.sha256(archive.read(i)).hexdigest()}
        for i in archive.infolist()
    ]
    project = json.loads(archive.read("project.json"))
print(json.dumps({"bad": bad, "files": files, "project": project}))
`;

interface ReadZip {
  /** The first member with a wrong checksum. */
  bad: string | null;
  files: { name: string; size: number; sha256: string }[];
  project: ExportDocumentJson;
}

/** Checks that the exports of the first two projects contain the data of the API. */
export async function checkExports(
  show: Show,
  owner: Owner,
  projects: Projects,
  clips: Settled[],
  videos: Videos,
): Promise<void> {
  await show.play('exports hold the same clips, byte for byte', async note => {
    for (const [name, project] of [
      ['stories', projects.stories],
      ['interview', projects.interview],
    ] as const) {
      const { projectId } = project.created;
      const own = clips.filter(({ submission }) => submission.projectId === projectId);
      const { size, files } = await checkZip(show, owner, { name, project, clips: own, videos });
      await checkTexts(show, owner, { name, project, clips: own });
      note(`${name}.zip ${(size / 1e6).toFixed(1)} MB, ${files} files`);
    }
  });
}

async function checkZip(
  { resultsDir, signal }: Show,
  owner: Owner,
  { name, project, clips, videos }: { name: string; project: Project; clips: Settled[]; videos: Videos },
): Promise<{ size: number; files: number }> {
  const answer = await owner.get(`/api/projects/${project.created.projectId}/export/project.zip`);
  expectAnswer(answer, 200, 'application/zip');
  const path = join(resultsDir, `${name}.zip`);
  await writeFile(path, answer.bytes);
  const { bad, files, project: document }: ReadZip = JSON.parse(await run('python3', ['-c', READ_ZIP, path]));
  checkEqual('the first bad member that Python finds in the ZIP', bad, null);
  const texts = files.map(file => file.name).filter(file => !file.startsWith('videos/'));
  checkEqual('the files beside the videos', texts, ['project.json', 'submissions.csv', 'transcripts.txt']);
  checkEqual('the number of videos in the ZIP', files.length - texts.length, clips.length);
  for (const { submission } of clips) {
    const file = files.find(one => one.name.includes(submission.submissionId));
    const bytes = videos.get(submission.submissionId)!;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    check(
      `the ZIP's video of ${submission.submissionId} to be the bytes of the video route`,
      file?.sha256 === sha256,
      file,
    );
  }
  checkEqual('the submissions in project.json', document.submissions.length, clips.length);
  const again = await send(`${project.created.dashboardUrl}/export/project.zip`, { signal });
  expectAnswer(again, 200);
  check(
    'the dashboard token to get the same ZIP',
    again.bytes.equals(answer.bytes),
    `${again.bytes.length} other bytes`,
  );
  return { size: answer.bytes.length, files: files.length };
}

async function checkTexts(
  { resultsDir }: Show,
  owner: Owner,
  { name, project, clips }: { name: string; project: Project; clips: Settled[] },
): Promise<void> {
  const at = `/api/projects/${project.created.projectId}`;
  const json = await owner.get(`${at}/export.json`);
  const { version, submissions, links }: ExportDocumentJson = ok(json);
  checkEqual('the version of export.json', version, '1.0.0');
  const byId = (all: SubmissionJson[]) => all.toSorted((a, b) => (a.submissionId < b.submissionId ? -1 : 1));
  const shown = clips.map(({ submission }) => submission);
  checkEqual(`the submissions in export.json of “${project.created.projectName}”`, byId(submissions), byId(shown));
  check('the links in export.json', links?.recipientUrls.length === project.created.recipientUrls.length, links);
  const csv = await owner.get(`${at}/export.csv`);
  expectAnswer(csv, 200, 'text/csv');
  const rows = csv.bytes.toString('utf8').trimEnd().split('\r\n');
  checkEqual('the rows of export.csv with its header', rows.length, clips.length + 1);
  check(
    'the columns of a submission in export.csv',
    rows[0]!.startsWith('submissionId,videoId,tokenId,projectId'),
    rows[0],
  );
  const transcripts = await owner.get(`${at}/export/transcripts.txt`);
  expectAnswer(transcripts, 200);
  const text = transcripts.bytes.toString('utf8');
  for (const { submission } of clips)
    check('every transcript in transcripts.txt', text.includes(submission.transcriptText ?? ''), text);
  await writeFile(join(resultsDir, `${name}.json`), json.bytes);
  await writeFile(join(resultsDir, `${name}.csv`), csv.bytes);
  await writeFile(join(resultsDir, `${name}-transcripts.txt`), text);
}
