import { connectKafka, type Kafka } from '@recording-request/events/kafka';
import { createFairBudget, type FairBudget } from '@recording-request/kit/fair-budget';
import { createFairSlots, type FairSlots } from '@recording-request/kit/fair-slots';
import type { Logger } from '@recording-request/kit/log';
import { memoryLimit } from '@recording-request/kit/memory-limit';
import { openAll } from '@recording-request/kit/open-all';
import { createLease, type Lease } from '@recording-request/kit-mongo/lease';
import { type Connection, connectMongo } from '@recording-request/kit-mongo/mongo';
import { createObjects, type Objects } from '@recording-request/kit-objects/objects';
import { type ClientOf, createClient } from '@recording-request/kit-rpc/grpc-client';
import { type Internal, openInternal } from '@recording-request/kit-rpc/internal/internal';
import { reportSlots } from '@recording-request/kit-telemetry/slot-figures';
import { type MediaServiceServer, MediaServiceService } from '@recording-request/proto/media/v1/media';
import { type ProjectsServiceServer, ProjectsServiceService } from '@recording-request/proto/projects/v1/projects';
import { mayRepeat } from '@recording-request/proto/repeatable';
import type { Config } from './config.ts';
import { createKeptChecksums, type KeptChecksums } from './domain/uploads/running-checksums.ts';
import { type ArchiveBuilds, createArchiveBuilds } from './memory/archive-builds.ts';
import { createLandingsUnderWay, type LandingsUnderWay } from './memory/landings-under-way.ts';
import { createPageCache, type PageCache } from './memory/page-cache.ts';
import { openStores, type Stores } from './store/store.ts';

/** The connections, stores and state that handlers, consumers, hooks and workflows share. */
/** The lease of the process that erases clips by the retention of their projects, and its last project. */
export interface ProjectRetention {
  lease: Lease;
  after: string;
}

export interface Context extends Stores, AsyncDisposable {
  config: Config;
  log: Logger;
  internal: Internal;
  connection: Connection;
  kafka: Kafka;
  /** The bucket, with the connections for landings and for all other work except uploads and exports. */
  objects: Objects;
  /** The same bucket, with connections for uploads only. */
  uploadObjects: Objects;
  /** The memory for requests that send bytes; owners share it. */
  uploadMemory: FairBudget;
  /** The checksums of bytes that this process received. */
  uploadChecksums: KeptChecksums;
  /** The same bucket, with connections for exports only. */
  exportObjects: Objects;
  projects: ClientOf<ProjectsServiceServer>;
  media: ClientOf<MediaServiceServer>;
  archiveBuilds: ArchiveBuilds;
  landings: LandingsUnderWay;
  /** The slots of searches by words; owners share them. */
  searches: FairSlots;
  /** The slots of page reads; owners share them. */
  lists: FairSlots;
  /** The cached pages of submissions, in the form in which they are sent. */
  pages: PageCache;
  /** The slots of exports; owners share them. */
  exports: FairSlots;
  /** The lease that makes one process erase expired submissions. */
  retentionLease: Lease;
  /** The same for the projects that have their own retention. */
  projectRetention: ProjectRetention;
  /** The lease that makes one process erase ended sandboxes. */
  sandboxLease: Lease;
}

// Limits memory: the database returns up to 16 MiB at a time, even if a page uses only the first rows.
const LISTS_AT_ONCE = 8;
const LISTS_QUEUED = 256;
const PAGES_BYTES = 64 * 1024 ** 2;
const RETENTION_LEASE_MS = 60_000;

/** Opens all connections and stores. If one of them fails, releases the others and rejects. */
export async function openContext(config: Config, log: Logger): Promise<Context> {
  await using opened = new AsyncDisposableStack();
  const internal = opened.use(await openInternal(config, 'submissions', log));
  const objects = createObjects(config);
  const [{ connection, stores }, kafka] = await openAll(opened, [
    openDatabase(config),
    connectKafka(config, { clientId: 'submissions', log }),
    objects.requireBucket(),
  ]);
  const projects = createClient<ProjectsServiceServer>(
    ProjectsServiceService,
    config.projectsGrpc,
    internal.peer('projects'),
    { mayRepeat },
  );
  opened.defer(() => projects.close());
  const media = createClient<MediaServiceServer>(MediaServiceService, config.mediaGrpc, internal.peer('media'), {
    mayRepeat,
  });
  opened.defer(() => media.close());
  const archiveBuilds = opened.adopt(createArchiveBuilds(config.exportMemoryBytes), builds => builds.stop());
  const searches = createFairSlots(config.searchesAtOnce);
  opened.defer(reportSlots('search', config.searchesAtOnce, searches.used));
  const exports = createFairSlots(config.exportsAtOnce);
  opened.defer(reportSlots('export', config.exportsAtOnce, exports.used));
  const parts = opened.move();
  return {
    config,
    log,
    internal,
    connection,
    kafka,
    objects,
    uploadObjects: createObjects(config),
    uploadMemory: createFairBudget(config.uploadMemoryBytes),
    uploadChecksums: createKeptChecksums(),
    // The build of an archive stores one part at a time.
    exportObjects: createObjects(config, { connections: config.exportsAtOnce }),
    projects,
    media,
    ...stores,
    archiveBuilds,
    landings: createLandingsUnderWay(config.landingMemoryBytes),
    searches,
    lists: createFairSlots(LISTS_AT_ONCE, { queued: LISTS_QUEUED }),
    pages: createPageCache(Math.min(PAGES_BYTES, Math.floor(memoryLimit() / 16))),
    exports,
    retentionLease: createLease(connection, 'retention', RETENTION_LEASE_MS),
    sandboxLease: createLease(connection, 'sandboxes', RETENTION_LEASE_MS),
    projectRetention: { lease: createLease(connection, 'project retention', RETENTION_LEASE_MS), after: '' },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

async function openDatabase(config: Config) {
  await using opening = new AsyncDisposableStack();
  const connection = opening.adopt(await connectMongo(config, 'submissions'), each => each.close());
  const stores = await openStores(connection);
  const opened = opening.move();
  return { connection, stores, close: () => opened.disposeAsync() };
}
