/** A position in a project's deliveries, newest first: the last delivery of the previous page. */
export interface DeliveryCursor {
  createdAt: Date;
  id: string;
}

const FORM = /^(\d{1,16})\.([0-9a-f-]{36})$/;

export const encodeCursor = ({ createdAt, id }: DeliveryCursor): string =>
  Buffer.from(`${createdAt.getTime()}.${id}`).toString('base64url');

/** Returns undefined for a text that `encodeCursor` did not create. */
export function decodeCursor(text: string): DeliveryCursor | undefined {
  const match = FORM.exec(Buffer.from(text, 'base64url').toString());
  if (!match) return undefined;
  const cursor = { createdAt: new Date(Number(match[1])), id: match[2]! };
  return Number.isNaN(cursor.createdAt.getTime()) || encodeCursor(cursor) !== text ? undefined : cursor;
}
