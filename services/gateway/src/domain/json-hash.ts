import { hash } from 'node:crypto';

/** SHA-256 of a JSON value, the same however its fields are ordered and its text was spaced. */
export const hashOfJson = (value: unknown): Buffer => hash('sha256', JSON.stringify(value, inOrder) ?? '', 'buffer');

const inOrder = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
