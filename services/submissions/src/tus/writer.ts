import { AsyncLocalStorage } from 'node:async_hooks';
import { uuidv7 } from '@recording-request/kit/ids';
import type { Upload, UploadKey } from '../domain/uploads/upload.ts';

interface Request {
  /** The project of the recording link; '' when the request names no project. */
  projectId: string;
  /** True if the request creates an upload without sending bytes. */
  onlyCreates?: boolean;
}

interface Writer extends Request {
  id: string;
  /**
   * The upload when this request created it or took its lease. The filter of each write checks that the lease is still
   * held.
   */
  upload?: Upload;
  /** True when the last part has ended the lease. */
  isReleased?: boolean;
}

const current = new AsyncLocalStorage<Writer>();

/**
 * Runs one request with its own writer id. The request takes its lease and writes with this id. AsyncLocalStorage
 * passes the id to the store, because `@tus/server` does not pass the request.
 */
export const asWriter = <T>(request: Request, work: () => Promise<T>): Promise<T> =>
  current.run({ id: uuidv7(), ...request }, work);

export function writer(): Writer {
  const found = current.getStore();
  if (found === undefined) throw new Error('there is no writer outside of a request');
  return found;
}

/** Returns the writer id of the current request. */
export const writerId = (): string => writer().id;

/** Returns the key of an upload in the project of the current request. */
export const keyOf = (id: string): UploadKey => ({ id, projectId: writer().projectId });
