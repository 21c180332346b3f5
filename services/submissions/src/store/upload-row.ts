import { runningTrace } from '@recording-request/kit-telemetry/span';
import type { Upload, UploadKey } from '../domain/uploads/upload.ts';

type Row = Omit<Upload, 'id'> & { _id: string };

/** Omits the parts, because an upload can have many thousands. */
export const WITHOUT_PARTS = { parts: 0, pages: 0 } as const;

export const uploadAt = ({ id, projectId }: UploadKey) => ({ _id: id, projectId });

export function uploadFromRow(row: unknown): Upload {
  const { _id, ...rest } = row as Row;
  return { ...rest, id: _id, length: rest.length ?? undefined };
}

/** Returns the fields that store the trace of the current request; no fields when there is no trace. */
export function tracedNow(): Pick<Upload, 'trace'> {
  const trace = runningTrace();
  return trace.traceparent === '' ? {} : { trace };
}
