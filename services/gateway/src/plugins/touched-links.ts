import { tokenAtStart } from '@recording-request/contract/tokens';
import type { FastifyReply } from 'fastify';
import { takesPage } from './errors.ts';

/** A page whose address people type by hand or share through chat apps. */
export interface LinkedPage {
  /** The start of the page's path, in lower case. */
  start: '/r/' | '/project/';
  /** The page's route, as Fastify writes it. */
  route: string;
  prefix: 'vr' | 'prj';
  addressOf(token: string): string;
  /** Returns the part of the query that the clean address keeps. */
  keep?(query: URLSearchParams): string;
}

/**
 * Redirects to the clean address of a page if a person or an app added characters, such as a bracket, or capitalised
 * the first letters. Returns undefined if the address is clean or has no token.
 */
export function redirectTouched(reply: FastifyReply, page: LinkedPage): FastifyReply | undefined {
  const { raw, headers, routeOptions } = reply.request;
  const [path = '', query = ''] = (raw.url ?? '').split('?', 2);
  const { start, route, prefix, addressOf, keep } = page;
  // A route below the page responds itself.
  if (routeOptions?.url !== undefined && routeOptions.url !== route) return undefined;
  const token = tokenAtStart(prefix, path.slice(start.length));
  if (token === undefined) return undefined;
  const attached = path.slice(start.length + token.length);
  if (attached === '' && path.startsWith(start)) return undefined;
  // A program that requests a path below the page needs the error; after a redirect it would store the page as the
  // file.
  if (/\/.*\w/.test(attached) && !takesPage(headers)) return undefined;
  const clean = new URL(addressOf(token)).pathname + (keep?.(new URLSearchParams(query)) ?? '');
  return reply.removeHeader('error-code').redirect(clean, 302);
}
