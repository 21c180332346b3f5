import { isUuid } from '@recording-request/kit/ids';
import { idsOf, type SubjectIds } from '@recording-request/kit-telemetry/subject';
import type { ServerOptions, Upload as TusUpload } from '@tus/server';
import type { ServerRequest } from 'srvx';
import type { Context } from '../context.ts';
import { type Caller, refusalWord } from '../domain/uploads/upload.ts';
import { admitUpload } from '../workflows/uploads/admit-upload.ts';
import { finishUpload } from '../workflows/uploads/land-upload.ts';
import { answerToError, rethrowAsTusError, tusError } from './errors.ts';
import { keyOf, writer } from './writer.ts';

export const UPLOADS_PATH = '/uploads';

type Hook<Name extends keyof ServerOptions> = NonNullable<ServerOptions[Name]>;

/** The hooks of `@tus/server`, under the library's names. */
export const tusHooks = (context: Context) => ({
  onIncomingRequest: onIncomingRequest(context),
  onUploadCreate: onUploadCreate(context),
  onUploadFinish: onUploadFinish(context),
  onResponseError: onResponseError(context),
});

/** Runs before the request is handled. An upload is visible only through the link to which it belongs. */
const onIncomingRequest =
  (context: Context): Hook<'onIncomingRequest'> =>
  async (request, id) => {
    if (request.method === 'POST') return;
    const upload = isUuid(id) ? await context.uploads.find(keyOf(id)) : undefined;
    const caller = callerOf(request);
    if (!upload || upload.linkId !== caller.linkId || upload.state === 'deleted')
      throw tusError(404, 'There is no such upload.');
    if (upload.state === 'refused' && request.method !== 'DELETE')
      throw tusError(upload.superseded ? 410 : 422, upload.error ?? 'This take was refused.', refusalWord(upload));
    // A process may have crashed between the last byte and the landing, so a HEAD request starts the landing again.
    if (request.method === 'HEAD' && upload.offset === upload.length) finishUpload(context, keyOf(id)).catch(() => {});
  };

const onUploadCreate =
  (context: Context): Hook<'onUploadCreate'> =>
  async (request, upload: TusUpload) => {
    const { id, size: length, metadata } = upload;
    const admitted = await admitUpload(context, callerOf(request), { id, length, metadata }).catch(rethrowAsTusError);
    upload.creation_date = admitted.createdAt.toISOString();
    if (writer().onlyCreates) writer().upload = admitted;
    return {};
  };

/** Runs when all bytes have arrived. */
const onUploadFinish =
  (context: Context): Hook<'onUploadFinish'> =>
  async (request, upload) => {
    const { status, body } = await finishUpload(context, keyOf(upload.id)).catch(rethrowAsTusError);
    // The library sets Location only on a 201, but clients expect it on every response to a creation.
    const location = request.method === 'POST' && { Location: `${UPLOADS_PATH}/${upload.id}` };
    const headers: Record<string, string> = { 'Content-Type': 'application/json', ...location };
    return { status_code: status, body: JSON.stringify(body), headers };
  };

const onResponseError =
  ({ log, config }: Context): Hook<'onResponseError'> =>
  (request, error) =>
    answerToError(error, log.child(subjectOf(request)), config.uploadMaxBytes);

/** Returns the ids that the log lines about a request contain. */
function subjectOf({ headers, method, url }: ServerRequest): SubjectIds {
  const uploadId =
    method === 'POST' ? headers.get('x-upload-id') : new URL(url, 'http://uploads').pathname.split('/').at(-1);
  return idsOf({ projectId: headers.get('x-project-id'), uploadId });
}

/**
 * Returns the link, project and owner of a request. The gateway found them by the recording link and put them into the
 * headers.
 */
function callerOf({ headers }: ServerRequest): Caller {
  const [linkId, projectId, ownerId] = ['x-link-id', 'x-project-id', 'x-owner-id'].map(name => headers.get(name) ?? '');
  if (!linkId || !projectId || !ownerId) throw tusError(404, 'This recording link does not exist.');
  return { linkId, projectId, ownerId };
}
