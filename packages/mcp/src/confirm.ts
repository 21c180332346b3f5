import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { ToolError } from './rest.ts';

/** How long a `confirm` is valid, in seconds. */
export const CONFIRM_SECONDS = 600;
const FORM = /^([0-9a-z]{1,11})\.([\w-]{16})\.([\w-]{43})$/;

/** Permits one write with exactly these arguments, by a caller with the same token, until `expiresAt`. */
export interface Sealed {
  confirm: string;
  expiresAt: string;
}

/**
 * Seals the arguments of a write. The key comes from the caller's token. So every process accepts the value without
 * storing anything, and refuses a value that another token sealed.
 */
export function seal(token: string, tool: string, args: object, now = Date.now()): Sealed {
  const until = Math.floor(now / 1_000) + CONFIRM_SECONDS;
  const head = `${until.toString(36)}.${randomBytes(12).toString('base64url')}`;
  return { confirm: `${head}.${mac(token, tool, args, head)}`, expiresAt: new Date(until * 1_000).toISOString() };
}

/**
 * Checks a `confirm`, and returns the key under which the REST API carries out this write only once. Throws a ToolError
 * for another value, other arguments, another token, and after the expiry.
 */
export function openSeal(token: string, tool: string, args: object, confirm: string, now = Date.now()): string {
  const [, until = '', nonce = '', given = ''] = FORM.exec(confirm) ?? [];
  const expected = mac(token, tool, args, `${until}.${nonce}`);
  const isRight = given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
  if (!isRight || Number.parseInt(until, 36) * 1_000 <= now)
    throw new ToolError(
      'confirm has expired, or was given for other arguments. Nothing was changed: call without confirm first, and then repeat exactly those arguments with the confirm of that answer.',
      { code: 'unconfirmed' },
    );
  return `mcp-${createHash('sha256').update(confirm).digest('base64url')}`;
}

function mac(token: string, tool: string, args: object, head: string): string {
  const key = Buffer.from(hkdfSync('sha256', token, '', 'recording-request mcp confirm 1', 32));
  return createHmac('sha256', key)
    .update(JSON.stringify([tool, head, inOrder(args)]))
    .digest('base64url');
}

/**
 * Returns a form that depends only on the value, because a caller may repeat its arguments in another order. Lists and
 * objects have different first elements, so no list looks like an object.
 */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return ['list', ...value.map(inOrder)];
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]): [string, unknown] => [name, inOrder(each)]);
  return ['object', ...entries.sort(([a], [b]) => (a < b ? -1 : 1))];
}
