import type { Logger } from '@recording-request/kit/log';
import { type Internal, openInternal } from '@recording-request/kit-rpc/internal/internal';
import type { GetMediaResponse } from '@recording-request/proto/submissions/v1/submissions';
import { type Brand, brandOf } from '@recording-request/web-shared/brand';
import { LRUCache } from 'lru-cache';
import { type MediaOffload, mediaOffload } from './adapters/media-offload.ts';
import { type OpenObject, objectReader } from './adapters/object-reader.ts';
import { connectRedis, type Redis } from './adapters/redis.ts';
import { connectServices, type Services } from './clients/services.ts';
import type { Config } from './config.ts';
import { createStreamLimiter, type StreamLimiter } from './plugins/stream-limiter.ts';

const SEEN_MEDIA = 1_000;
const SEEN_MEDIA_MS = 1_000;
const PROJECT_NAMES = 10_000;
const PROJECT_NAMES_MS = 1_000;

/** What plugins and routes are given. */
export interface Context {
  config: Config;
  log: Logger;
  internal: Internal;
  services: Services;
  /** Reads objects from the store. */
  openObject: OpenObject;
  /** Leaves the bytes of media to a proxy in front; undefined where this process sends them all. */
  mediaOffload: MediaOffload | undefined;
  /** Where all gateways count calls together; undefined where each counts alone. */
  redis: Redis | undefined;
  /** The public address, without a trailing slash. */
  baseUrl: string;
  brand: Brand;
  /** How many exports, videos and audio, and lists of several pages are read at once. */
  streams: { exports: StreamLimiter; media: StreamLimiter; lists: StreamLimiter };
  /**
   * Where media were a moment ago, by owner, project, submission and kind. A player asks for one range after the other: the
   * next one is read without a look-up. What is erased is no more in the store, so nothing of it can be read by this.
   */
  seenMedia: LRUCache<string, GetMediaResponse>;
  /** Names of projects as they were a moment ago, by `nameKey`: an owner who reads page after page is not looked up for each. */
  projectNames: LRUCache<string, string>;
  close(): Promise<void>;
}

/** Connects to the services and to Redis. Neither needs to be up. */
export async function openContext(config: Config, log: Logger): Promise<Context> {
  await using opened = new AsyncDisposableStack();
  const internal = opened.use(await openInternal(config, 'gateway', log));
  const services = opened.adopt(connectServices(config, internal), clients => clients.close());
  const redis = config.redisUrl
    ? opened.adopt(await connectRedis(config.redisUrl, log), connection => connection.disconnect())
    : undefined;
  const brand = brandOf(config);
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
    streams: streamLimiters(config),
    seenMedia: new LRUCache({ max: SEEN_MEDIA, ttl: SEEN_MEDIA_MS }),
    projectNames: new LRUCache({ max: PROJECT_NAMES, ttl: PROJECT_NAMES_MS }),
    close: () => connections.disposeAsync(),
  };
}

const streamLimiters = (config: Config): Context['streams'] => ({
  exports: createStreamLimiter('exports', config.exportsAtOnce),
  media: createStreamLimiter('videos', config.mediaAtOnce),
  lists: createStreamLimiter('lists', config.listsAtOnce),
});
