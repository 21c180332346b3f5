import { AsyncLocalStorage } from 'node:async_hooks';
import { uuidv7 } from '@recording-request/kit/ids';
import type { Upload, UploadKey } from '../domain/uploads/upload.ts';

interface Request {
  /** Of the recording link that the request came through; '' where it names none. */
  projectId: string;
  /** It creates an upload and sends none of its bytes. */
  onlyCreates?: boolean;
}

interface Writer extends Request {
  id: string;
  /** As it was when this request took its lease or created it: a write asks in its own filter whether it still is. */
  upload?: Upload;
}

const current = new AsyncLocalStorage<Writer>();

/**
 * Runs one request with a writer's id of its own. The id under which its lease is taken is the one under which it writes,
 * the one that has the lease by then: `@tus/server` hands its store no request, so that it goes with the call.
 */
export const asWriter = <T>(request: Request, work: () => Promise<T>): Promise<T> =>
  current.run({ id: uuidv7(), ...request }, work);

export function writer(): Writer {
  const found = current.getStore();
  if (found === undefined) throw new Error('there is no writer outside of a request');
  return found;
}

/** Returns the writer's id of the request that is being served. */
export const writerId = (): string => writer().id;

/** Returns the key of the upload with this id, which is of the project of the request that is being served. */
export const keyOf = (id: string): UploadKey => ({ id, projectId: writer().projectId });
