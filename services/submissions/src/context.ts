import { connectKafka, type Kafka } from '@recording-request/events/kafka';
import { type ClientOf, createClient } from '@recording-request/kit/grpc-client';
import { createLease, type Lease } from '@recording-request/kit/lease';
import type { Logger } from '@recording-request/kit/log';
import { type Connection, connectMongo } from '@recording-request/kit/mongo';
import { createObjects, type Objects } from '@recording-request/kit/objects';
import { type MediaServiceServer, MediaServiceService } from '@recording-request/proto/media/v1/media';
import { type ProjectsServiceServer, ProjectsServiceService } from '@recording-request/proto/projects/v1/projects';
import type { Config } from './config.ts';
import { createSearchLimiter, type SearchLimiter } from './domain/search-limiter.ts';
import { createErasureStore, type ErasureStore } from './store/erasures.ts';
import { openModels } from './store/models.ts';
import { createNoteStore, type NoteStore } from './store/notes.ts';
import { createSubmissionStore, type SubmissionStore } from './store/submissions.ts';
import { createUploadStore, type UploadStore } from './store/uploads.ts';
import { createLandingsUnderWay, type LandingsUnderWay } from './workflows/landings-under-way.ts';

/** The connections, stores and state that handlers, consumers, hooks and workflows share. */
export interface Context extends AsyncDisposable {
  config: Config;
  log: Logger;
  connection: Connection;
  kafka: Kafka;
  objects: Objects;
  projects: ClientOf<ProjectsServiceServer>;
  media: ClientOf<MediaServiceServer>;
  uploads: UploadStore;
  notes: NoteStore;
  submissions: SubmissionStore;
  erasures: ErasureStore;
  landings: LandingsUnderWay;
  searches: SearchLimiter;
  /** Held by the process that erases by age. */
  retentionLease: Lease;
}

const RETENTION_LEASE_MS = 60_000;

/** Connects to everything that the service needs. Where one of them fails, releases what it had and fails. */
export async function openContext(config: Config, log: Logger): Promise<Context> {
  await using opened = new AsyncDisposableStack();
  const objects = createObjects(config);
  const connection = opened.adopt(await connectMongo(config, 'submissions'), each => each.close());
  const projects = createClient<ProjectsServiceServer>(ProjectsServiceService, config.projectsGrpc);
  opened.defer(() => projects.close());
  const media = createClient<MediaServiceServer>(MediaServiceService, config.mediaGrpc);
  opened.defer(() => media.close());
  const kafka = opened.adopt(await connectKafka(config, { clientId: 'submissions', log }), each => each.close());
  await objects.ensureBucket();
  const models = await openModels(connection);
  const parts = opened.move();
  return {
    config,
    log,
    connection,
    kafka,
    objects,
    projects,
    media,
    uploads: createUploadStore(models),
    notes: createNoteStore(models),
    submissions: createSubmissionStore(models),
    erasures: createErasureStore(models),
    landings: createLandingsUnderWay(),
    searches: createSearchLimiter({ all: config.searchesAtOnce, perProject: config.searchesAtOncePerProject }),
    retentionLease: createLease(connection, 'retention', RETENTION_LEASE_MS),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
