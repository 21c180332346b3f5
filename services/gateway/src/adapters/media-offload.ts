import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Secret } from '@recording-request/kit/secret-file';
import type { FastifyReply } from 'fastify';
import type { ByteRange } from '../domain/byte-range.ts';
import { cameThroughProxies, type TrustedProxies } from './trusted-proxies.ts';

/**
 * The location in deploy/nginx that sends objects. Clients cannot request it, because it is a name and not an address.
 */
const LOCATION = '@media_offload';
const SECRET = /^[\w.~+/=-]{32,256}$/;
/**
 * nginx keeps these headers of a response that redirects it to the store, and its location adds them again. If nginx
 * then cannot get the object and repeats the request to the gateway, the client would get each header twice. So the
 * gateway renames them.
 */
const KEPT_BY_NGINX = ['cache-control', 'content-disposition'];

/**
 * The proxy's state for a medium. `takes`: it can read the bytes from the store itself. `full`: it already sends the
 * maximum number of media. `failed`: it could not get the bytes, so this process must send them.
 */
export type OffloadState = 'takes' | 'full' | 'failed';

/** An object for a proxy to send. */
export interface OffloadedObject {
  /** The presigned address of the object. */
  url: string;
  range: ByteRange | undefined;
  /** The owner and token under which the proxy counts this read; undefined if the proxy must not count it. */
  reader: { owner: string; token: string } | undefined;
}

export interface MediaOffload {
  /** The lifetime of a presigned address in seconds: the proxy uses the address at once. */
  readonly urlSeconds: number;
  /**
   * Returns the state that the proxy reports in this request; undefined if the request did not come through the proxy.
   */
  offloadStateOf(request: IncomingMessage): OffloadState | undefined;
  /** Responds to the proxy with the address of the bytes and the headers to send with them. */
  redirect(reply: FastifyReply, object: OffloadedObject): FastifyReply;
}

interface Settings {
  mediaOffload: 'none' | 'accel';
  mediaOffloadSecret: Secret;
  trustedProxies: TrustedProxies;
}

/** Returns the reason why these settings cannot work; undefined if they work. */
export function offloadFault({ mediaOffload, mediaOffloadSecret, trustedProxies }: Settings): string | undefined {
  if (mediaOffload === 'none') return undefined;
  if (!trustedProxies.areSet) return 'MEDIA_OFFLOAD=accel needs TRUSTED_PROXIES: it is a proxy that sends the bytes';
  if (!SECRET.test(mediaOffloadSecret()))
    return 'MEDIA_OFFLOAD=accel needs MEDIA_OFFLOAD_SECRET, or a file that MEDIA_OFFLOAD_SECRET_FILE names, with 32 to 256 letters, digits and . _ ~ + / = -, as `openssl rand -hex 32` makes them';
  return undefined;
}

/** Returns the connection to the nginx of deploy/nginx; undefined if the offload is off. */
export function mediaOffload(settings: Settings): MediaOffload | undefined {
  if (settings.mediaOffload === 'none') return undefined;
  const { mediaOffloadSecret, trustedProxies } = settings;
  return {
    urlSeconds: 60,
    offloadStateOf({ headers, socket }) {
      const word = headers['x-media-offload'];
      if (word !== 'takes' && word !== 'full' && word !== 'failed') return undefined;
      const proof = headers['x-media-offload-secret'];
      // A request of a disconnected client has no socket.
      const peer = socket?.remoteAddress ?? '';
      if (typeof proof !== 'string' || !cameThroughProxies(trustedProxies, peer, headers['x-forwarded-for']))
        return undefined;
      const secret = mediaOffloadSecret();
      // Checks the secret again, because an operator may have replaced its file by one with a secret that is too short.
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
/** Compares in constant time, so that the duration does not show where the texts differ. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));
