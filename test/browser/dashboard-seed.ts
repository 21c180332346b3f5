import { randomUUID } from 'node:crypto';
import type { ClipOptions } from '@recording-request/fixtures/clip';
import { connectMongo } from '@recording-request/kit-mongo/mongo';
import { testClip } from '@recording-request/testing/clip';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { until } from '@recording-request/testing/wait';
import { landed, type Project, type Submission, type TestBrowser } from './test-browser.ts';

// Creates a dashboard's clips in every possible state.

export interface Sending {
  clip?: Partial<ClipOptions>;
  note?: string;
  questionIndex?: number;
  /** The session of the response; by default a new one. */
  session?: string;
}

/** Sends a clip through a recording link in one request, and waits until it has landed. Returns its session. */
export async function deliver(link: string, text: string, { clip, note, questionIndex, session }: Sending = {}) {
  const made = await testClip({ container: 'webm', frameRate: 15, text, ...clip });
  const responseSessionId = session ?? (await beginResponse(link));
  const about = { ...(note && { note }), ...(questionIndex !== undefined && { questionIndex }) };
  await sendClip(link, made, { responseSessionId, ...about });
  return responseSessionId;
}

/** Waits until at least `count` clips have landed with their media and transcripts. Returns the clips. */
export async function finished(harness: TestBrowser, project: Project, count: number): Promise<Submission[]> {
  await landed(harness, project, count);
  return until(
    `${count} clips with media and transcript`,
    async () => {
      const all = (await harness.submissions(project)) as (Submission & { mediaStatus: string })[];
      const done = all.filter(
        ({ mediaStatus, transcriptStatus }) =>
          mediaStatus !== 'processing' && transcriptStatus !== 'pending' && transcriptStatus !== 'processing',
      );
      return done.length >= count && all;
    },
    { limitMs: 60_000 },
  );
}

type Row = Record<string, unknown>;

/**
 * Changes a stored clip; `undefined` removes a field. Tests use it for states that otherwise need an accident or days.
 */
export async function setState(harness: TestBrowser, submissionId: string, fields: Row): Promise<void> {
  await using rows = await storedRows(harness);
  const entries = Object.entries(fields);
  await rows.collection.updateOne(
    { _id: submissionId },
    {
      $set: Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
      $unset: Object.fromEntries(
        entries.filter(([, value]) => value === undefined).map(([name]) => [name, 1 as const]),
      ),
    },
  );
}

/** Stores older copies of a clip, each with the fields from `fieldsOf`. */
export async function copyClip(
  harness: TestBrowser,
  submissionId: string,
  count: number,
  fieldsOf: (index: number) => Row = () => ({}),
) {
  await using rows = await storedRows(harness);
  const row = await rows.collection.findOne({ _id: submissionId });
  if (!row) throw new Error(`there is no clip ${submissionId}`);
  const newest = (row.createdAt as Date).getTime();
  const copies = Array.from({ length: count }, (_, index) => {
    const createdAt = new Date(newest - (index + 1) * 60_000);
    const _id = `${Math.floor(createdAt.getTime())
      .toString(16)
      .padStart(12, '0')
      .replace(/^(.{8})/, '$1-')}-7${randomUUID().slice(15)}`;
    return { ...row, _id, responseId: randomUUID(), createdAt, changedAt: createdAt, outbox: [], ...fieldsOf(index) };
  });
  await rows.collection.insertMany(copies);
  return copies.map(({ _id }) => _id as string);
}

async function storedRows({ system }: TestBrowser) {
  const settings = { mongoUrl: process.env.MONGO_URL ?? '', mongoDatabasePrefix: `${system.name}_` };
  const connection = await connectMongo(settings, 'submissions', 'test');
  return {
    collection: connection.collection<Row & { _id: string }>('submissions'),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}
