import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProjectCreatedJson } from '@recording-request/contract/resources/project';
import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import { ok, refused } from '@recording-request/harness/http-client';
import type { TestClip } from '@recording-request/testing/clip';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { until } from '@recording-request/testing/wait';
import { admin, startAdmin } from '../harness/admin.ts';
import { SYSTEM_WAIT } from '../harness/limits.ts';
import { type SeedData, submissionsOf } from '../harness/seed.ts';
import { type Stores, search } from '../harness/stores.ts';

/** The delay from an erasure to the first removal of late data. The test kills a service during this delay. */
export const AGAIN_SECONDS = 12;

const DAY_MS = 86_400_000;
/** The maximum number of jobs to try. A job is so short that the test may miss it on a busy machine. */
const JOBS = 5;

interface Marked {
  project: ProjectCreatedJson;
  /** A text that every text of the owner contains. */
  marker: string;
}

interface MarkedClip {
  submission: SubmissionJson;
  /** The contributor's note. */
  note: string;
}

const marker = (what: string) => `${what}-${randomUUID()}`;
const nothingOf = async (stores: Stores, texts: Map<string, string>) => {
  const inDocuments = await search(stores.documents(), texts);
  const inObjects = await search(stores.objects(), texts);
  assert.ok(inDocuments.looked > 0, 'the search found no documents');
  return [...inDocuments.found, ...inObjects.found];
};

/** Tests everything that an operator can erase. Uses the same seed as the suite of secrets, which runs before. */
export function erasure(seed: SeedData, stores: Stores, mediaDir: string): void {
  const { ada, bob, bobs, system, mute } = seed;

  async function marked(): Promise<Marked> {
    const mark = marker('owner');
    const json = {
      projectName: mark,
      count: 8,
      noteEnabled: true,
      termsText: mark,
      successMessage: mark,
      sharedLinkEnabled: true,
      webhookUrl: ok(await ada.ask(`/api/projects/${seed.full.projectId}`)).webhookUrl,
      webhookSecret: mark,
    };
    const headers = { 'idempotency-key': mark };
    return { project: ok(await ada.ask('/api/projects', { method: 'POST', json, headers })), marker: mark };
  }

  async function contribute({ project }: Marked, link: number, clip: TestClip): Promise<MarkedClip> {
    const { recipientUrl } = project.recipientUrls[link]!;
    const note = marker('contributor');
    const submissionId = await sendClip(recipientUrl, clip, {
      responseSessionId: await beginResponse(recipientUrl),
      note,
    });
    const submission = (await submissionsOf(ada, project.projectId)).find(each => each.submissionId === submissionId);
    return { submission: submission!, note };
  }

  const hasMedia = async ({ project }: Marked, { submission }: MarkedClip) =>
    (await submissionsOf(ada, project.projectId)).find(
      each => each.submissionId === submission.submissionId && each.mediaStatus === 'ready',
    );

  const ready = (one: Marked, clip: MarkedClip) =>
    until(
      'the media of a clip and its webhook',
      async () => {
        const { project } = one;
        const found = await hasMedia(one, clip);
        const path = `/api/projects/${project.projectId}/webhook-deliveries`;
        const { deliveries } = ok(await ada.ask(path));
        return (
          found &&
          deliveries.some(
            (each: { submissionId: string; state: string }) =>
              each.state === 'delivered' && each.submissionId === found.submissionId,
          )
        );
      },
      SYSTEM_WAIT,
    );

  // Returns undefined if a folder is deleted during the read. Then the caller retries.
  const filesOfJobs = () => readdir(mediaDir, { recursive: true }).catch(() => undefined);
  // A job makes these files; an inspection does not.
  const madeByJobs = async () => (await filesOfJobs())?.filter(name => /thumbnail|video\./.test(name)).length;
  const jobIsRunning = async () => ((await madeByJobs()) ?? 0) > 0;

  /** Lands a clip and pauses the media worker `pid` during its job. Returns undefined if the job ended first. */
  async function pausedInJob(one: Marked, link: number, pid: number): Promise<MarkedClip | undefined> {
    await until('the end of the job before', async () => (await madeByJobs()) === 0, SYSTEM_WAIT);
    let stopped = false;
    let over = false;
    const landed = async () => {
      const clip = await contribute(one, link, mute);
      await until('the media of a clip', async () => stopped || (await hasMedia(one, clip)), SYSTEM_WAIT);
      return clip;
    };
    const look = async () => {
      for (; !stopped && !over; await pause(10)) {
        if (!(await jobIsRunning())) continue;
        process.kill(pid, 'SIGSTOP');
        // The job may have ended before the signal.
        stopped = await jobIsRunning();
        if (!stopped) process.kill(pid, 'SIGCONT');
      }
    };
    const landing = landed().finally(() => {
      over = true;
    });
    const [clip] = await Promise.all([landing, look()]);
    return stopped ? clip : undefined;
  }

  describe('erasure', () => {
    test('a submission is erased after a confirmation from every store but Kafka, with a proof for each store', async () => {
      const one = await marked();
      const [gone, stays] = [await contribute(one, 0, mute), await contribute(one, 1, mute)];
      await ready(one, gone);
      await ready(one, stays);
      const { submissionId } = gone.submission;
      const path = `/api/projects/${one.project.projectId}/submissions/${submissionId}`;
      const reviewNote = marker('reviewer');
      const words = marker('transcript');
      ok(await ada.ask(path, { method: 'PATCH', json: { reviewNote } }));
      // Speech recognition varies, so the test replaces the transcript with a fixed text.
      await stores
        .collection('submissions', 'submissions')
        .updateOne({ _id: submissionId }, { $set: { transcriptText: words, transcriptVtt: `WEBVTT\n\n${words}` } });
      const texts = new Map([
        [gone.note, 'the note'],
        [reviewNote, 'the review note'],
        [words, 'the transcript'],
      ]);
      assert.ok((await nothingOf(stores, texts)).length >= 3, 'the stores hold the texts before the erasure');
      const picture = `/project/${one.project.projectToken}/submissions/${submissionId}/thumbnail-middle`;
      const etag = (await seed.ask(picture)).headers.get('etag')!;
      const kept = async () => (await seed.ask(picture, { headers: { 'if-none-match': etag } })).status;
      assert.equal(await kept(), 304, 'a browser may show its cached picture');

      const unconfirmed = await admin(system, 'erase', 'submission', submissionId);
      assert.equal(unconfirmed.code, 1);
      assert.match(
        unconfirmed.stderr,
        /this will be erased[\s\S]*1 submission, 1 upload[\s\S]*Nothing was erased: add --yes/,
      );
      const would = await admin(system, 'erase', 'submission', submissionId, '--dry-run');
      assert.match(would.stdout, /this would be erased[\s\S]*objects +\d+ objects/);
      assert.equal((await submissionsOf(ada, one.project.projectId)).length, 2, 'nothing is erased yet');

      const done = await admin(system, 'erase', 'submission', submissionId, '--yes');
      assert.equal(done.code, 0, done.stderr);
      assert.match(
        done.stdout,
        /is erased\n +submissions +1 submission, 1 upload.*\n +objects +\d+ objects.*\n +webhooks +\d+ payload/,
      );
      const until7days = new Date(/the last by (\S+)$/m.exec(done.stdout)![1]!).getTime() - Date.now();
      assert.ok(until7days > 7 * DAY_MS && until7days < 7.5 * DAY_MS, 'Kafka deletes its records after seven days');
      const prefix = `submissions/${one.project.projectId}/${submissionId}/`;
      assert.deepEqual(await stores.keys(prefix), []);
      await stores.put(`${prefix}video.webm`, Buffer.from('late'));
      assert.deepEqual(await nothingOf(stores, texts), []);
      refused(await ada.ask(`${path}/video`), 404);
      assert.equal(await kept(), 404, 'not even from the cache of a browser');
      assert.deepEqual(
        (await submissionsOf(ada, one.project.projectId)).map(each => [each.submissionId, each.note]),
        [[stays.submission.submissionId, stays.note]],
      );
      await system.restart(['submissions']);
      await until(
        'a restarted service to remove late data',
        async () => (await stores.keys(prefix)).length === 0,
        SYSTEM_WAIT,
      );
      const again = await admin(system, 'erase', 'submission', submissionId, '--yes');
      assert.match(again.stdout, /erased before, on .*\n +nothing is left\n/);
      const other = await admin(system, 'erase', 'submission', one.project.projectId, '--yes');
      assert.equal(other.code, 1);
      assert.match(other.stderr, /^admin: There is no submission \S+: it is the id of a project /);
    });

    test('a running job leaves nothing behind', async () => {
      const one = await marked();
      const { pid } = system.services.media;
      let clip: MarkedClip | undefined;
      try {
        for (let link = 0; link < JOBS && !clip; link++) clip = await pausedInJob(one, link, pid);
        assert.ok(clip, `none of ${JOBS} jobs was seen running`);
        const done = await admin(system, 'erase', 'submission', clip.submission.submissionId, '--yes');
        assert.equal(done.code, 0, done.stderr);
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      const { submissionId } = clip.submission;
      await until(
        'the job to end',
        async () => {
          const files = await filesOfJobs();
          return files && !files.some(name => name.endsWith('source'));
        },
        SYSTEM_WAIT,
      );
      await until(
        'the removal of its data',
        async () => (await stores.keys(`submissions/${one.project.projectId}/${submissionId}/`)).length === 0,
        SYSTEM_WAIT,
      );
      assert.deepEqual(await nothingOf(stores, new Map([[clip.note, 'the note']])), []);
      const left = await submissionsOf(ada, one.project.projectId);
      assert.ok(!left.some(each => each.submissionId === submissionId), 'the list still has the submission');
    });

    test('a project is erased when a killed command is run again', async () => {
      const one = await marked();
      const { projectId } = one.project;
      const clips = [];
      for (let link = 0; link < 5; link++) clips.push(await contribute(one, link, mute));
      for (const clip of clips) await ready(one, clip);
      await beginResponse(one.project.recipientUrls[6]!.recipientUrl);
      const before = ok(await ada.ask('/api/me')).videosReserved;
      const first = startAdmin(system, 'erase', 'project', projectId, '--yes');
      await until(
        'the start of the erasure',
        async () => (await stores.collection('submissions', 'erasures').findOne({ _id: projectId })) !== null,
        SYSTEM_WAIT,
      );
      first.kill();
      await first.ended;
      const done = await admin(system, 'erase', 'project', projectId, '--yes', '--json');
      assert.equal(done.code, 0, done.stderr);

      const texts = new Map([
        [one.marker, "the owner's texts"],
        [one.project.recipientUrls[0]!.tokenId, 'the id of a link'],
      ]);
      for (const { note } of clips) texts.set(note, 'a note');
      assert.deepEqual(await nothingOf(stores, texts), []);
      assert.deepEqual(await stores.keys(`submissions/${projectId}/`), []);
      refused(await ada.ask(`/api/projects/${projectId}`), 404);
      const { projectToken, recipientUrls } = one.project;
      refused(await seed.ask(`/project/${projectToken}/export.json`), 404);
      const { pathname } = new URL(recipientUrls[0]!.recipientUrl);
      await until('a recording link to be refused', async () => (await seed.ask(pathname)).status === 404, SYSTEM_WAIT);
      const released = 108 - clips.length;
      const after = ok(await ada.ask('/api/me')).videosReserved;
      assert.equal(before - after, released, 'the allowance returns for unused links only');
      assert.match((await admin(system, 'erase', 'project', projectId, '--dry-run')).stdout, /erased before/);
    });

    test('a user is erased with tokens and projects', async () => {
      const done = await admin(system, 'erase', 'user', bob.userId, '--yes');
      assert.equal(done.code, 0, done.stderr);
      assert.match(done.stdout, /accounts +1 user, 1 token\n +projects +1 project/);
      await until('the token to be refused', async () => (await bob.ask('/api/me')).status === 401, SYSTEM_WAIT);
      const texts = new Map([
        ['Of Bob', "the name of the user's project"],
        [bobs.recipientUrls[0]!.tokenId, 'the id of a link'],
      ]);
      assert.deepEqual(await nothingOf(stores, texts), []);
      assert.deepEqual(await stores.keys(`submissions/${bobs.projectId}/`), []);
      const again = await admin(system, 'erase', 'user', bob.userId, '--yes');
      assert.match(again.stdout, /erased before, on .*\n +nothing is left\n +Kafka .*the last by /);
      const nobody = randomUUID();
      const unknown = await admin(system, 'erase', 'user', nobody, '--yes');
      assert.match(unknown.stderr, new RegExp(`^admin: There is no user ${nobody}; `));
    });
  });
}
