import { UsageError } from '@recording-request/kit/command-line';

/** The place of a backup, as the operator names it. `prefix` is empty or ends with a slash. */
export type Location = { dir: string } | { bucket: string; prefix: string };

const SCHEME = 's3://';
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
// The object store's client accepts only keys that every store can keep.
const SEGMENT = /^(?!\.{1,2}$)[\w!.()*-]{1,255}$/;

/** Reads the value of `option`. Throws UsageError. */
export function locationOf(option: string, text = ''): Location {
  const named = text.trim();
  if (named === '' || (/^[a-z][a-z0-9+.-]*:\/\//i.test(named) && !named.startsWith(SCHEME)))
    throw new UsageError(`${option} must name a folder, or s3://BUCKET[/PREFIX]`);
  if (!named.startsWith(SCHEME)) return { dir: text };
  const [bucket = '', ...segments] = named.slice(SCHEME.length).replace(/\/$/, '').split('/');
  if (!BUCKET.test(bucket))
    throw new UsageError(
      `${option} names the bucket "${bucket}": the name of a bucket has 3 to 63 of a-z, 0-9, "-" and "."`,
    );
  if (!segments.every(segment => SEGMENT.test(segment)))
    throw new UsageError(
      `${option} has a prefix with characters that not every store can keep: use letters and digits`,
    );
  return { bucket, prefix: segments.map(segment => `${segment}/`).join('') };
}
