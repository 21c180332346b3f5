import type { Upload } from '../domain/upload.ts';

type Row = Omit<Upload, 'id'> & { _id: string };

export function uploadFromRow(row: unknown): Upload {
  const { _id, ...rest } = row as Row;
  return { ...rest, id: _id, length: rest.length ?? undefined };
}
