import { Readable } from 'node:stream';
import { SubmissionParams } from '@recording-request/contract/requests';
import { DomainError } from '@recording-request/kit/errors';
import { type GetMediaResponse, MediaKind } from '@recording-request/proto/submissions/v1/submissions';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { openMedia, readMedia } from '../adapters/media-reader.ts';
import type { Context } from '../context.ts';
import { type ByteRange, noneMatch, parseRange, rangeApplies } from '../domain/byte-range.ts';
import { contentDisposition } from '../domain/content-disposition.ts';
import { owner } from '../plugins/access-kinds.ts';
import { ByteStream } from '../plugins/byte-stream.ts';
import { submissionOf } from '../plugins/caller.ts';
import { HttpError } from '../plugins/errors.ts';
import { operation } from '../plugins/operation.ts';
import { readerOf, tooManyStreams } from '../plugins/stream-limiter.ts';

const OCTETS = 'application/octet-stream';

/** The contract's media routes. `type` is the media type of the owner's route, `shownType` of the dashboard's route. */
export const MEDIA_FILES = [
  { kind: MediaKind.MEDIA_KIND_VIDEO, path: 'video', type: OCTETS, shownType: 'video/*', id: 'Video' },
  {
    kind: MediaKind.MEDIA_KIND_THUMBNAIL_START,
    path: 'thumbnail-start',
    type: 'image/jpeg',
    shownType: 'image/jpeg',
    id: 'ThumbnailStart',
  },
  {
    kind: MediaKind.MEDIA_KIND_THUMBNAIL_MIDDLE,
    path: 'thumbnail-middle',
    type: 'image/jpeg',
    shownType: 'image/jpeg',
    id: 'ThumbnailMiddle',
  },
  {
    kind: MediaKind.MEDIA_KIND_THUMBNAIL_END,
    path: 'thumbnail-end',
    type: 'image/jpeg',
    shownType: 'image/jpeg',
    id: 'ThumbnailEnd',
  },
  { kind: MediaKind.MEDIA_KIND_AUDIO, path: 'audio', type: OCTETS, shownType: 'audio/*', id: 'Audio' },
] as const;

export interface Showing {
  kind: MediaKind;
  /** The media type to send; undefined for the medium's real type. */
  type?: string;
  disposition: 'attachment' | 'inline';
  cacheControl: string;
}

// The gateway sends only these types: the type comes from a contributor's browser and must never turn the bytes into a
// page.
const SAFE_TYPE = /^(?:video|audio|image)\/[\w.+-]+$/;
/** The additional errors of a media route, for openapi.json. */
export const MEDIA_ERRORS = {
  416: 'The range lies outside the bytes; Content-Range gives their number.',
  429: 'Too many requests, or this token, its owner or all clients together read too many videos at once; Retry-After says how long to wait.',
};
// Pictures do not count, because they are small and a page shows dozens of them.
const COUNTED = new Set<MediaKind>([MediaKind.MEDIA_KIND_VIDEO, MediaKind.MEDIA_KIND_AUDIO]);
// An object can move between its look-up and its read, when the seekable video replaces the upload.
const LOOK_UPS = 2;

/**
 * Streams an object at the client's pace, or lets a proxy send it. Throws `too_many` at the limit of concurrent reads.
 */
export async function sendMedia(request: FastifyRequest, reply: FastifyReply, context: Context, showing: Showing) {
  const isCounted = COUNTED.has(showing.kind) && request.method !== 'HEAD';
  const { mediaOffload } = context;
  request.offload = mediaOffload?.offloadStateOf(request.raw);
  // A proxy can send only a single object. This process sends an upload in parts, even behind the proxy.
  const isTaken = mediaOffload !== undefined && request.offload === 'takes';
  let hasPlace = !isCounted;
  const takePlace = (isOffloaded: boolean) => {
    if (hasPlace) return;
    if (request.offload === 'full') throw tooManyStreams('videos');
    if (!isOffloaded) context.streams.media(request, reply);
    hasPlace = true;
  };
  const target = {
    ...submissionOf(request),
    kind: showing.kind,
    urlSeconds: isTaken ? mediaOffload.urlSeconds : undefined,
  };
  const key = Object.values(target).join(' ');
  for (let look = 1; look <= LOOK_UPS; look++) {
    const cached = look === 1 && asksForBytes(request) ? context.recentMedia.get(key) : undefined;
    const media = cached ?? (await context.services.submissions.getMedia(target));
    if (!cached) context.recentMedia.set(key, media);
    describe(reply, media, showing);
    if (noneMatch(request.headers['if-none-match'], media.etag)) return reply.code(304).send();
    if (request.method === 'HEAD') return reply.header('content-length', media.size).send(Readable.from([]));
    const range = rangeOf(request, media);
    // Takes the slot only now, because 304 and 416 send no bytes and need none.
    takePlace(isTaken && !media.parts);
    if (isTaken && !media.parts)
      return mediaOffload.redirect(reply, { url: media.url, range, reader: isCounted ? readerOf(request) : undefined });
    const [from, to] = range ? [range.start, range.end + 1] : [0, media.size];
    const signal = request.clientGone;
    // Looks up again, because the address may have expired and the clip may have been erased.
    const lookUp = (offset: number) => context.services.submissions.getMedia({ ...target, offset });
    const [read, sources] = [
      { media, from, to, signal },
      { lookUp, openObject: context.openObject },
    ];
    const first = await openMedia(read, sources);
    if (!first) continue;
    const bytes = readMedia(first, read, sources);
    if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${media.size}`);
    return reply.header('content-length', to - from).send(new ByteStream(bytes));
  }
  throw new DomainError('unavailable', 'The media is being replaced; try again in a moment.');
}

/**
 * Returns whether the answer must contain bytes. Only then is an old look-up safe, because a read of erased bytes
 * fails.
 */
const asksForBytes = ({ method, headers }: FastifyRequest): boolean =>
  method === 'GET' && headers.range !== undefined && headers['if-none-match'] === undefined;

function describe(reply: FastifyReply, media: GetMediaResponse, showing: Showing): void {
  const trueType = SAFE_TYPE.test(media.mimeType) ? media.mimeType : OCTETS;
  reply
    .type(showing.type ?? trueType)
    .header('etag', media.etag)
    .header('accept-ranges', 'bytes')
    .header('cache-control', showing.cacheControl)
    .header('content-disposition', contentDisposition(showing.disposition, media.fileName))
    .header('content-security-policy', "sandbox; default-src 'none'");
}

/** Returns the requested range; undefined for the whole medium. Throws for a range outside the bytes. */
export function rangeOf(
  request: FastifyRequest,
  media: Pick<GetMediaResponse, 'etag' | 'size'>,
): ByteRange | undefined {
  if (!rangeApplies(request.headers['if-range'] as string | undefined, media.etag)) return undefined;
  const range = parseRange(request.headers.range, media.size);
  if (range === 'unsatisfiable') {
    throw new HttpError(416, `The range lies outside the ${media.size} bytes there are.`, {
      'content-range': `bytes */${media.size}`,
    });
  }
  return range === 'whole' ? undefined : range;
}

export async function mediaRoutes(app: FastifyInstance, context: Context): Promise<void> {
  for (const file of MEDIA_FILES) {
    app.get(
      `/api/projects/:projectId/submissions/:submissionId/${file.path}`,
      {
        config: owner('submissions:read'),
        schema: operation({
          id: `get${file.id}`,
          tag: 'submissions',
          summary: `The ${file.path.replace('-', ' of the ')} of a submission`,
          description:
            'Single and suffix ranges (206, 416), ETag, If-None-Match (304), If-Range and HEAD. The ETag is the hex SHA-256 of these bytes, in quotes.',
          params: SubmissionParams,
          file: file.type,
          also: MEDIA_ERRORS,
        }),
      },
      (request, reply) =>
        sendMedia(request, reply, context, {
          kind: file.kind,
          type: file.type,
          disposition: 'attachment',
          cacheControl: 'private, no-cache',
        }),
    );
  }
}
