import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connectKafka } from '@recording-request/events/kafka';
import { DomainError } from '@recording-request/kit/errors';
import { createClient } from '@recording-request/kit/grpc-client';
import { implement, startGrpcServer } from '@recording-request/kit/grpc-server';
import { createLease } from '@recording-request/kit/lease';
import { type RunningService, stopAll } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import { connectMongo } from '@recording-request/kit/mongo';
import { createObjects } from '@recording-request/kit/objects';
import { startRelay } from '@recording-request/kit/outbox';
import { type ExportsServiceServer, ExportsServiceService } from '@recording-request/proto/exports/v1/exports';
import { type MediaServiceServer, MediaServiceService } from '@recording-request/proto/media/v1/media';
import {
  type SubmissionsOperatorServiceServer,
  SubmissionsOperatorServiceService,
} from '@recording-request/proto/operator/v1/submissions';
import { type ProjectsServiceServer, ProjectsServiceService } from '@recording-request/proto/projects/v1/projects';
import {
  type SubmissionsServiceServer,
  SubmissionsServiceService,
} from '@recording-request/proto/submissions/v1/submissions';
import { closeHttp } from './adapters/close-http.ts';
import { createLocker } from './adapters/tus-locker.ts';
import { createTusServer } from './adapters/tus-server.ts';
import { PartStore } from './adapters/tus-store.ts';
import type { Config } from './config.ts';
import { handleMediaEvents } from './consumers/media-events.ts';
import { handleTranscriptionEvents } from './consumers/transcription-events.ts';
import { createSearchPlaces } from './domain/search-limiter.ts';
import { countSubmissions } from './rpc/count-submissions.ts';
import { eraseProjectSubmissions } from './rpc/erase-project-submissions.ts';
import { eraseSubmission } from './rpc/erase-submission.ts';
import { exportProject } from './rpc/export.ts';
import { getMedia } from './rpc/get-media.ts';
import { getSubmission } from './rpc/get-submission.ts';
import { listSubmissions } from './rpc/list-submissions.ts';
import { listUploads } from './rpc/list-uploads.ts';
import { measureVideos } from './rpc/measure-videos.ts';
import { requestTranscript } from './rpc/request-transcript.ts';
import { setResponseNote } from './rpc/set-response-note.ts';
import { updateSubmission } from './rpc/update-submission.ts';
import { createErasureStore } from './store/erasures.ts';
import { openModels } from './store/models.ts';
import { createSubmissionStore } from './store/submissions.ts';
import { createUploadStore } from './store/uploads.ts';
import { createAdmission } from './workflows/admit-upload.ts';
import { createEraser } from './workflows/erase-submission.ts';
import { createLander } from './workflows/land-upload.ts';
import { startStoreSweeper, startSweeper } from './workflows/sweep.ts';

export interface SubmissionsService extends RunningService {
  grpcAddress: string;
  httpAddress: string;
}

const EVENT_LIMIT_MS = 30_000;
const RETENTION_LEASE_MS = 60_000;

/** Connects, wires and serves; tests start the same function. */
export async function startService(config: Config, log: Logger): Promise<SubmissionsService> {
  const objects = createObjects(config);
  const [connection, kafka] = await Promise.all([
    connectMongo(config, 'submissions'),
    connectKafka(config, { clientId: 'submissions', log }),
    objects.ensureBucket(),
  ]);
  const models = await openModels(connection);
  const uploads = createUploadStore(models);
  const submissions = createSubmissionStore(models);
  const projects = createClient<ProjectsServiceServer>(ProjectsServiceService, config.projectsGrpc);
  const media = createClient<MediaServiceServer>(MediaServiceService, config.mediaGrpc);
  const eraser = createEraser({
    store: createErasureStore(models),
    objects,
    kafka,
    retentionLease: createLease(connection, 'retention', RETENTION_LEASE_MS),
    log,
    againMs: config.eraseAgainSeconds * 1_000,
    retentionDays: config.retentionDays,
  });
  const lander = createLander({
    uploads,
    submissions,
    eraser,
    objects,
    projects,
    media,
    log,
    answerMs: config.landingAnswerSeconds * 1_000,
    leaseMs: config.landingLeaseSeconds * 1_000,
    inspectMs: config.inspectSeconds * 1_000,
    graceSec: config.durationGraceSeconds,
  });
  const locker = createLocker(uploads, config.uploadLeaseSeconds * 1_000, log);
  const tus = createTusServer({
    locker,
    log,
    maxBytes: config.uploadMaxBytes,
    idleMs: config.uploadIdleSeconds * 1_000,
    find: uploads.find,
    finish: lander.finish,
    admit: createAdmission(uploads, projects),
    store: new PartStore({
      uploads,
      objects,
      writers: locker,
      partBytes: config.uploadPartBytes,
      holdMs: config.uploadHoldSeconds * 1_000,
      holdRenewMs: config.holdRenewSeconds * 1_000,
      inserted: eraser.refuseUpload,
      renewHold: async upload => {
        await projects.renewResponse({ linkId: upload.linkId, responseSessionId: upload.responseId });
      },
    }),
  });
  const consumers = await Promise.all([
    kafka.consume({
      topic: 'media.events',
      group: 'submissions',
      concurrency: 1,
      jobLimitMs: EVENT_LIMIT_MS,
      handle: handleMediaEvents(submissions, objects, eraser),
    }),
    kafka.consume({
      topic: 'transcription.events',
      group: 'submissions-transcripts',
      concurrency: 1,
      jobLimitMs: EVENT_LIMIT_MS,
      handle: handleTranscriptionEvents(submissions),
    }),
  ]);
  const relay = startRelay({ connection, collection: 'submissions', kafka, log });
  const sweeper = startSweeper({
    uploads,
    submissions,
    eraser,
    lander,
    projects,
    log,
    sweepMs: config.sweepSeconds * 1_000,
    holdMs: config.uploadHoldSeconds * 1_000,
    emptyHoldMs: config.uploadEndedSeconds * 1_000,
    stuckMs: config.stuckSeconds * 1_000,
    asksMax: config.mediaAsksMax,
  });
  const storeSweeper = startStoreSweeper({ objects, log, openPutMs: config.openPutSeconds * 1_000 });
  const [host, port] = split(config.httpListen);
  tus.listen(port, host);
  await once(tus, 'listening');
  const grpc = await startGrpcServer({
    listen: config.grpcListen,
    log,
    services: [
      implement<SubmissionsServiceServer>(SubmissionsServiceService, {
        listSubmissions: listSubmissions(
          submissions,
          createSearchPlaces({ all: config.searchesAtOnce, perProject: config.searchesAtOncePerProject }),
        ),
        getSubmission: getSubmission(submissions),
        updateSubmission: updateSubmission(submissions),
        requestTranscript: requestTranscript(submissions),
        countSubmissions: countSubmissions(submissions),
        getMedia: getMedia(submissions, objects, config.presignSeconds),
        measureVideos: measureVideos(submissions),
        listUploads: listUploads(uploads),
        setResponseNote: setResponseNote(uploads, eraser, projects),
      }),
      implement<SubmissionsOperatorServiceServer>(SubmissionsOperatorServiceService, {
        eraseSubmission: eraseSubmission(eraser),
        eraseProjectSubmissions: eraseProjectSubmissions(eraser),
      }),
      implement<ExportsServiceServer>(ExportsServiceService, {
        export: exportProject({ submissions, objects, projects, baseUrl: config.publicBaseUrl }),
      }),
    ],
  });
  // What takes work stops first, then what finishes it, then what both stand on.
  const stop = () =>
    stopAll([
      () => grpc.setServing(false),
      // A landing can take longer than the requests that wait for it have when HTTP closes.
      () => lander.hurry(),
      () => closeHttp(tus),
      () => grpc.close(),
      () => Promise.all([sweeper.stop(), storeSweeper.stop()]),
      () => lander.idle(),
      () => Promise.all(consumers.map(consumer => consumer.stop())),
      () => relay.stop(),
      () => kafka.close(),
      () => projects.close(),
      () => media.close(),
      () => connection.close(),
    ]);
  return {
    grpcAddress: grpc.address,
    httpAddress: `${host}:${(tus.address() as AddressInfo).port}`,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function split(listen: string): [string, number] {
  const at = listen.lastIndexOf(':');
  const port = Number(listen.slice(at + 1));
  if (port > 65_535) throw new DomainError('invalid', 'HTTP_LISTEN has a port above 65535.');
  return [listen.slice(0, at), port];
}
