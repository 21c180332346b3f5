import { DEFAULTS } from '@recording-request/contract/limits';
import type { DashboardOverviewJson } from '@recording-request/contract/resources/dashboard';
import type { Clip } from './clip.ts';

/** The filters of the list. */
export interface Query {
  q: string;
  selected: boolean;
  /** "" matches any. */
  transcriptStatus: string;
}

export interface ClipsPage {
  submissions: Clip[];
  pagination: { nextCursor: string | null };
}

/** The ETags of the page's data. The script sends them, so that its first requests are conditional. */
export interface PageEtags {
  overview: string;
  clips: string;
}

export interface DashboardSettings {
  overview: DashboardOverviewJson;
  page: ClipsPage;
  etags: PageEtags;
  query: Query;
  /** True when the page does not begin with the newest clip. */
  older: boolean;
}

export const PAGE_SIZE = 24;
export const LINKS_PAGE_SIZE: number = DEFAULTS.linkPageSize;

/** Returns the query string of a list. */
export function queryString({ q, selected, transcriptStatus }: Query, more: Record<string, string> = {}): string {
  const query = new URLSearchParams(more);
  if (q.trim()) query.set('q', q.trim());
  if (selected) query.set('selected', 'true');
  if (transcriptStatus) query.set('transcriptStatus', transcriptStatus);
  const text = query.toString();
  return text && `?${text}`;
}

export const isNarrowed = ({ q, selected, transcriptStatus }: Query): boolean =>
  q.trim() !== '' || selected || transcriptStatus !== '';

export const emptyText = (query: Query): string =>
  isNarrowed(query)
    ? 'No clips match. Try different words, or show all clips.'
    : 'No clips yet. Send out a recording link: clips appear here seconds after they are sent.';
