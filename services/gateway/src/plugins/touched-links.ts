import { tokenAtStart } from '@recording-request/contract/tokens';
import type { FastifyReply } from 'fastify';
import { takesPage } from './errors.ts';

/** A page whose address people pass on by hand and through chat apps. */
export interface LinkedPage {
  /** The beginning of the page's path, in small letters. */
  start: '/r/' | '/project/';
  /** Its route. */
  route: string;
  prefix: 'vr' | 'prj';
  addressOf(token: string): string;
  /** Returns the part of the query that the clean address keeps. */
  keep?(query: URLSearchParams): string;
}

/**
 * Redirects to the clean address of a page where something was attached to it, such as a bracket, or its first letters were
 * made capitals. Returns undefined where the address is clean or has no token.
 */
export function redirectTouched(reply: FastifyReply, page: LinkedPage): FastifyReply | undefined {
  const { raw, headers, routeOptions } = reply.request;
  const [path = '', query = ''] = (raw.url ?? '').split('?', 2);
  const { start, route, prefix, addressOf, keep } = page;
  // A route below the page answers for itself.
  if (routeOptions?.url !== undefined && routeOptions.url !== route) return undefined;
  const token = tokenAtStart(prefix, path.slice(start.length));
  if (token === undefined) return undefined;
  const attached = path.slice(start.length + token.length);
  if (attached === '' && path.startsWith(start)) return undefined;
  // A program that asks for a path below the page needs the error: it would store the page as the file.
  if (/\/.*\w/.test(attached) && !takesPage(headers)) return undefined;
  const clean = new URL(addressOf(token)).pathname + (keep?.(new URLSearchParams(query)) ?? '');
  return reply.removeHeader('error-code').redirect(clean, 302);
}
