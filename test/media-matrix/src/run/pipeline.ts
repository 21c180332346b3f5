/** Sends clips through the real media and transcription services on real servers. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Kafka } from '@recording-request/events/kafka';
import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import { createLogger } from '@recording-request/kit/log';
import type { Objects } from '@recording-request/kit-objects/objects';
import type { ClientOf } from '@recording-request/kit-rpc/grpc-client';
import { readConfig as readMediaConfig } from '@recording-request/media/config';
import { startService as startMedia } from '@recording-request/media/service';
import type {
  MediaFailed,
  MediaProcessed,
  StoredObject,
  TranscriptCompleted,
  TranscriptFailed,
} from '@recording-request/proto/events/v1/events';
import { type Inspection, type MediaServiceServer, MediaServiceService } from '@recording-request/proto/media/v1/media';
import { testEnvironment } from '@recording-request/testing/environment';
import { type EventInbox, openInbox } from '@recording-request/testing/event-inbox';
import { type FakeWork, fakeWork, startFakeServices } from '@recording-request/testing/fake-services';
import { startTestService } from '@recording-request/testing/test-service';
import { readConfig as readTranscriptionConfig } from '@recording-request/transcription/config';
import { startService as startTranscription } from '@recording-request/transcription/service';
import { type SpeechServer, startSpeechServer } from './speech.ts';

const ANSWER_MS = 90_000;

/** The services' outcome for a clip. The media files are in the row's folder. */
export interface Outcome {
  /** The sentence for the contributor if Inspect refuses the clip. */
  refused?: string;
  /** The sentence for the owner if no media could be made. */
  failed?: string;
  /** The reason why the uploaded file is still the video, or why some media are missing. */
  problem?: string | undefined;
  /** Absent if the uploaded file is still the video. */
  video?: string;
  mimeType?: string;
  audio?: string;
  thumbnails: string[];
  /** The length of the served video. */
  durationSec: number;
  vtt?: string;
  /** The start times of the words in the sound sent for transcription, in seconds. */
  recognized?: number[] | undefined;
}

export interface Pipeline extends AsyncDisposable {
  /** Sends a clip through the services. Writes its media to `dir`. */
  process(path: string, dir: string): Promise<Outcome>;
}

/** Starts the services on the servers from the environment, with their files in `dir`. */
export async function startPipeline(dir: string, signal: AbortSignal): Promise<Pipeline> {
  await using starting = new AsyncDisposableStack();
  const speech = starting.use(await startSpeechServer(dir, signal));
  const jobs = fakeWork();
  const submissions = await startFakeServices([jobs]);
  starting.defer(() => submissions.close(0));
  const environment = testEnvironment({
    SUBMISSIONS_GRPC: submissions.address,
    MEDIA_WORK_DIR: dir,
    SPEECH_BASE_URL: speech.baseUrl,
  });
  const shared = { environment, log: createLogger('matrix', 'silent') };
  const media = starting.use(
    await startTestService({
      name: 'media',
      readConfig: readMediaConfig,
      startService: startMedia,
      ...shared,
      deadlineMs: ANSWER_MS,
    }),
  );
  const transcription = await startTestService({
    ...{ name: 'transcription', readConfig: readTranscriptionConfig, startService: startTranscription },
    ...shared,
  } as const);
  starting.use(transcription);
  const kafka = await media.stores.kafka();
  const work: Work = {
    ...{ kafka, jobs, speech, objects: media.stores.objects() },
    client: media.client<MediaServiceServer>(MediaServiceService),
    made: await openInbox(kafka, 'media.events'),
    inbox: await openInbox(kafka, 'transcription.events'),
  };
  const started = starting.move();
  return {
    process: (path, to) => processClip(work, path, to),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

interface Work {
  kafka: Kafka;
  jobs: FakeWork;
  speech: SpeechServer;
  objects: Objects;
  client: ClientOf<MediaServiceServer>;
  made: EventInbox;
  inbox: EventInbox;
}

interface Ids {
  projectId: string;
  submissionId: string;
}

async function processClip(work: Work, path: string, dir: string): Promise<Outcome> {
  const ids = { projectId: uuidv7(), submissionId: uuidv7() };
  const sourceKey = `submissions/${ids.projectId}/${ids.submissionId}/source`;
  await work.objects.put(sourceKey, await readFile(path), { contentType: 'application/octet-stream' });
  const inspected = await inspect(work, sourceKey);
  if (typeof inspected === 'string') return { refused: inspected, thumbnails: [], durationSec: 0 };
  const value = { ...ids, sourceKey, inspection: inspected };
  await work.jobs.give(work.kafka, { $case: 'media', value });
  const answer = await answerOf(work.made, ids);
  if (answer.type === 'media.failed')
    return { failed: (answer.payload!.value as MediaFailed).reason, thumbnails: [], durationSec: 0 };
  const { video, audio, thumbnails, inspection, problem } = answer.payload!.value as MediaProcessed;
  const download = (stored: StoredObject) => fetchTo(work.objects, stored, dir);
  const durationSec = inspection?.durationSec ?? 0;
  return {
    ...{ problem, durationSec },
    ...(video && { video: await download(video), mimeType: video.mimeType }),
    ...(audio && { audio: await download(audio), ...(await transcribe(work, ids, audio.key, durationSec)) }),
    thumbnails: await Promise.all(thumbnails.map(download)),
  };
}

async function inspect({ client }: Work, objectKey: string): Promise<Inspection | string> {
  try {
    return (await client.inspect({ objectKey })).inspection!;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'unprocessable') return error.message;
    throw error;
  }
}

async function transcribe(
  { kafka, jobs, inbox, speech }: Work,
  ids: Ids,
  audioKey: string,
  durationSec: number,
): Promise<Pick<Outcome, 'vtt' | 'recognized'>> {
  speech.recognized = undefined;
  const value = { ...ids, audioKey, durationSec, requestNumber: 1 };
  await jobs.give(kafka, { $case: 'transcript', value });
  const ended = await inbox.first(
    ({ type, payload }) =>
      /^transcript\.(completed|failed)$/.test(type) && (payload!.value as Ids).submissionId === ids.submissionId,
    ANSWER_MS,
  );
  if (ended.type === 'transcript.failed')
    throw new Error(`no transcript: ${(ended.payload!.value as TranscriptFailed).reason}`);
  return { vtt: (ended.payload!.value as TranscriptCompleted).vtt, recognized: speech.recognized };
}

const answerOf = (inbox: EventInbox, { submissionId }: Ids) =>
  inbox.first(({ payload }) => (payload!.value as Ids).submissionId === submissionId, ANSWER_MS);

async function fetchTo(objects: Objects, { key }: StoredObject, dir: string): Promise<string> {
  const path = join(dir, key.split('/').at(-1)!);
  await writeFile(path, await buffer(await objects.get(key)));
  return path;
}
