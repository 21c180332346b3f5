import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '@recording-request/kit/secret-file';
import type { FastifyReply } from 'fastify';
import type { ByteRange } from '../domain/byte-range.ts';
import { cameThroughProxies } from '../domain/trusted-proxies.ts';

/** The location of deploy/nginx that sends objects. A name, not an address: no client can ask for it. */
const LOCATION = '@media_offload';
const SECRET = /^[\w.~+/=-]{32,256}$/;
/**
 * What nginx takes over from an answer that redirects, beside what the location adds. It would stand twice where nginx asks
 * again because it cannot have the object.
 */
const KEPT_BY_NGINX = ['cache-control', 'content-disposition'];

/**
 * What a proxy does with a medium: `takes` its bytes from the store itself; is `full`, as it sends as many as it may; or has
 * `failed` to get them, so that this process is to send them.
 */
export type ProxyWord = 'takes' | 'full' | 'failed';

/** An object that a proxy is to send. */
export interface OffloadedObject {
  /** Presigned. */
  url: string;
  range: ByteRange | undefined;
  /** Whom it counts for among the videos that are read at once; undefined where it does not. */
  reader: { owner: string; token: string } | undefined;
}

export interface MediaOffload {
  /** How long a presigned address is valid, in seconds: the proxy uses it at once. */
  readonly urlSeconds: number;
  /** What the proxy in front says with this request; undefined for one that did not come through it. */
  wordOf(headers: IncomingHttpHeaders): ProxyWord | undefined;
  /** Answers the proxy with where the bytes are, and with the headers that they are to have. */
  redirect(reply: FastifyReply, object: OffloadedObject): FastifyReply;
}

interface Settings {
  mediaOffload: 'none' | 'accel';
  mediaOffloadSecret: Secret;
  trustedProxies: number;
}

/** Returns why these settings cannot be used; undefined when they can. */
export function offloadFault({ mediaOffload, mediaOffloadSecret, trustedProxies }: Settings): string | undefined {
  if (mediaOffload === 'none') return undefined;
  if (trustedProxies === 0)
    return 'MEDIA_OFFLOAD=accel needs TRUSTED_PROXIES to be 1 or more: it is a proxy that sends the bytes';
  if (!SECRET.test(mediaOffloadSecret()))
    return 'MEDIA_OFFLOAD=accel needs MEDIA_OFFLOAD_SECRET, or a file that MEDIA_OFFLOAD_SECRET_FILE names, with 32 to 256 letters, digits and . _ ~ + / = -, as `openssl rand -hex 32` makes them';
  return undefined;
}

/** Returns what speaks with nginx as deploy/nginx sets it up; undefined where it is off. */
export function mediaOffload(settings: Settings): MediaOffload | undefined {
  if (settings.mediaOffload === 'none') return undefined;
  const { mediaOffloadSecret, trustedProxies } = settings;
  return {
    urlSeconds: 60,
    wordOf(headers) {
      const word = headers['x-media-offload'];
      if (word !== 'takes' && word !== 'full' && word !== 'failed') return undefined;
      const proof = headers['x-media-offload-secret'];
      if (typeof proof !== 'string' || !cameThroughProxies(headers['x-forwarded-for'], trustedProxies))
        return undefined;
      const secret = mediaOffloadSecret();
      // Its file may have been replaced by one that is too short.
      return SECRET.test(secret) && isSame(proof, secret) ? word : undefined;
    },
    redirect(reply, { url, range, reader }) {
      const { host, pathname, search } = new URL(url);
      for (const name of KEPT_BY_NGINX) {
        reply.header(`x-media-offload-${name}`, reply.getHeader(name));
        reply.removeHeader(name);
      }
      reply
        .removeHeader('accept-ranges')
        .header('x-accel-redirect', LOCATION)
        .header('x-media-offload-host', host)
        .header('x-media-offload-target', `${pathname}${search}`);
      if (range) reply.header('x-media-offload-range', `bytes=${range.start}-${range.end}`);
      if (reader) reply.header('x-media-offload-owner', reader.owner).header('x-media-offload-token', reader.token);
      return reply.send();
    },
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
/** In a time that tells nothing of where they differ. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));
