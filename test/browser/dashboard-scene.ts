import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClipOptions, makeClip } from '@recording-request/fixtures/clip';
import { createClient } from '@recording-request/kit/grpc-client';
import { connectMongo } from '@recording-request/kit/mongo';
import {
  type ProjectsOperatorServiceServer,
  ProjectsOperatorServiceService,
} from '@recording-request/proto/operator/v1/projects';
import { waitFor } from '@recording-request/stack/wait';
import { type Bench, landed, type Project, type Submission } from './bench.ts';

// What an owner's dashboard is looked at with: clips that landed, in every state that they can be in.

const CLIPS = join(tmpdir(), 'recording-request-clips');
const LIMIT_MS = 30_000;

export interface Sending {
  clip?: Partial<ClipOptions>;
  note?: string;
  questionIndex?: number;
  /** Of the response; a new one when it is left out. */
  session?: string;
}

/** Sends a clip through a recording link in one request, as a contributor's page would in many. Gives its response. */
export async function deliver(link: string, text: string, { clip, note, questionIndex, session }: Sending = {}) {
  const made = await makeClip({ dir: CLIPS, container: 'webm', frameRate: 15, text, ...clip });
  const bytes = await readFile(made.path);
  const responseSessionId = session ?? (await beginResponse(link));
  const metadata = {
    responseSessionId,
    filetype: made.mimeType,
    ...(note && { note }),
    ...(questionIndex !== undefined && { questionIndex }),
  };
  const answer = await fetch(`${link}/uploads`, {
    method: 'POST',
    body: new Uint8Array(bytes),
    headers: {
      'tus-resumable': '1.0.0',
      'upload-length': String(bytes.length),
      'upload-metadata': Object.entries(metadata)
        .map(([name, value]) => `${name} ${Buffer.from(String(value)).toString('base64')}`)
        .join(','),
      'content-type': 'application/offset+octet-stream',
    },
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  if (!answer.ok) throw new Error(`the clip did not land: ${answer.status} ${await answer.text()}`);
  return responseSessionId;
}

/** Claims a use of a link. */
export async function beginResponse(link: string): Promise<string> {
  const responseSessionId = randomUUID();
  const answer = await fetch(`${link}/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ responseSessionId }),
  });
  if (!answer.ok) throw new Error(`the link was refused: ${answer.status} ${await answer.text()}`);
  return responseSessionId;
}

/** Waits until as many clips have landed and each of them has its media and its transcript, and gives them. */
export async function finished(bench: Bench, project: Project, count: number): Promise<Submission[]> {
  await landed(bench, project, count);
  return waitFor(
    `${count} clips with media and transcript`,
    async () => {
      const all = (await bench.submissions(project)) as (Submission & { mediaStatus: string })[];
      const done = all.filter(
        ({ mediaStatus, transcriptStatus }) =>
          mediaStatus !== 'processing' && transcriptStatus !== 'pending' && transcriptStatus !== 'processing',
      );
      return done.length >= count ? all : undefined;
    },
    { timeoutMs: 60_000 },
  );
}

/** An API token of the bench's owner with these scopes alone. */
export async function tokenWith(bench: Bench, scopes: string[]): Promise<string> {
  const { userId } = (await bench.api('GET', '/api/me')) as { userId: string };
  const operator = createClient<ProjectsOperatorServiceServer>(
    ProjectsOperatorServiceService,
    bench.cluster.services.projects.grpc,
  );
  try {
    return (await operator.createApiToken({ userId, label: 'dashboard test', scopes })).secret;
  } finally {
    operator.close();
  }
}

type Row = Record<string, unknown>;

/** Changes what is stored of a clip, `undefined` takes a field away: for states that take an accident or days to come about. */
export async function setState(bench: Bench, submissionId: string, fields: Row): Promise<void> {
  await using rows = await storedRows(bench);
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

/** Stores copies of a clip, older than itself, each with what `fieldsOf` gives. */
export async function copyClip(
  bench: Bench,
  submissionId: string,
  count: number,
  fieldsOf: (index: number) => Row = () => ({}),
) {
  await using rows = await storedRows(bench);
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

async function storedRows(bench: Bench) {
  const connection = await connectMongo(
    { mongoUrl: process.env.MONGO_URL ?? '', mongoDatabasePrefix: bench.databasePrefix },
    'submissions',
  );
  return {
    collection: connection.collection<Row & { _id: string }>('submissions'),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}
