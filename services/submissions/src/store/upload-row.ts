import { runningTrace } from '@recording-request/kit-telemetry/span';
import type { Upload, UploadKey } from '../domain/uploads/upload.ts';

type Row = Omit<Upload, 'id'> & { _id: string };

/** Without the parts, of which an upload can have many thousands. */
export const WITHOUT_PARTS = { parts: 0, pages: 0 } as const;

export const uploadAt = ({ id, projectId }: UploadKey) => ({ _id: id, projectId });

export function uploadFromRow(row: unknown): Upload {
  const { _id, ...rest } = row as Row;
  return { ...rest, id: _id, length: rest.length ?? undefined };
}

/** The trace of the request that runs, as it is stored: nothing where it is not traced. */
export function tracedNow(): Pick<Upload, 'trace'> {
  const trace = runningTrace();
  return trace.traceparent === '' ? {} : { trace };
}
