import { runningTrace } from '@recording-request/kit-telemetry/span';
import type { Upload, UploadKey } from '../domain/uploads/upload.ts';

type Row = Omit<Upload, 'id'> & { _id: string };

/** Excludes the parts: an upload can have many thousands. */
export const WITHOUT_PARTS = { parts: 0, pages: 0 } as const;

export const uploadAt = ({ id, projectId }: UploadKey) => ({ _id: id, projectId });

export function uploadFromRow(row: unknown): Upload {
  const { _id, ...rest } = row as Row;
  return { ...rest, id: _id, length: rest.length ?? undefined };
}

/** Returns the trace of the current request to store; empty when it is not traced. */
export function tracedNow(): Pick<Upload, 'trace'> {
  const trace = runningTrace();
  return trace.traceparent === '' ? {} : { trace };
}
