import { hash } from 'node:crypto';

/** Returns the SHA-256 of a JSON value; the order of fields and white space do not change it. */
export const hashOfJson = (value: unknown): Buffer => hash('sha256', JSON.stringify(value, inOrder) ?? '', 'buffer');

const inOrder = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
