import type { Logger } from '@recording-request/kit/log';
import { type Internal, openInternal } from '@recording-request/kit-rpc/internal/internal';
import type { GetMediaResponse } from '@recording-request/proto/submissions/v1/submissions';
import { type Brand, brandOf } from '@recording-request/web-shared/brand';
import { LRUCache } from 'lru-cache';
import { type MediaOffload, mediaOffload } from './adapters/media-offload.ts';
import { type OpenObject, objectReader } from './adapters/object-reader.ts';
import { connectRedis, type Redis } from './adapters/redis.ts';
import { createRecentProjects, type RecentProjects } from './clients/recent-projects.ts';
import { connectServices, type Services } from './clients/services.ts';
import type { Config } from './config.ts';
import { createStreamLimiter, type StreamLimiter } from './plugins/stream-limiter.ts';

const RECENT_MEDIA = 1_000;
const RECENT_MEDIA_MS = 1_000;

/** The shared objects of plugins and routes. */
export interface Context {
  config: Config;
  log: Logger;
  internal: Internal;
  services: Services;
  /** Reads objects from the store. */
  openObject: OpenObject;
  /** Lets a proxy in front send the bytes of media; undefined if this process itself sends all of them. */
  mediaOffload: MediaOffload | undefined;
  /** The counts that all gateways share; undefined if each gateway counts alone. */
  redis: Redis | undefined;
  /** The public address, without a trailing slash. */
  baseUrl: string;
  brand: Brand;
  /** Limits on concurrent streams: exports; videos and audio; lists of several pages. */
  streams: { exports: StreamLimiter; media: StreamLimiter; lists: StreamLimiter };
  /**
   * Recent look-ups of media, by owner, project, submission and kind. A player requests one range after another;
   * without this cache, each range would need a look-up. The cache cannot expose erased media, because the store no
   * longer has the bytes.
   */
  recentMedia: LRUCache<string, GetMediaResponse>;
  recentProjects: RecentProjects;
  close(): Promise<void>;
}

/** Connects to the services and to Redis. Also returns while they are down. */
export async function openContext(config: Config, log: Logger): Promise<Context> {
  await using opened = new AsyncDisposableStack();
  const internal = opened.use(await openInternal(config, 'gateway', log));
  const services = opened.adopt(connectServices(config, internal), clients => clients.close());
  const redis = config.redisUrl
    ? opened.adopt(await connectRedis(config, log), connection => connection.disconnect())
    : undefined;
  const brand = brandOf(config);
  const streams = streamLimiters(config);
  for (const limiter of Object.values(streams)) opened.defer(limiter.end);
  const connections = opened.move();
  return {
    config,
    log,
    internal,
    services,
    openObject: objectReader(config.s3CaFile),
    mediaOffload: mediaOffload(config),
    redis,
    baseUrl: config.publicBaseUrl,
    brand,
    streams,
    recentMedia: new LRUCache({ max: RECENT_MEDIA, ttl: RECENT_MEDIA_MS }),
    recentProjects: createRecentProjects(services),
    close: () => connections.disposeAsync(),
  };
}

const streamLimiters = (config: Config): Context['streams'] => ({
  exports: createStreamLimiter('exports', config.exportsAtOnce),
  media: createStreamLimiter('videos', config.mediaAtOnce),
  lists: createStreamLimiter('lists', config.listsAtOnce),
});
