import { pagePath } from '@recording-request/web-shared/browser/page';
import type { RecorderSettings } from '../../settings.ts';

type Reference = Pick<RecorderSettings, 'reference'>;

/** Returns the query with the reference of this visit; "" without one. */
export const refQuery = ({ reference }: Reference): string => reference && `?ref=${encodeURIComponent(reference)}`;

/**
 * Returns the link with this contributor's reference. A device stores responses and takes under this link, because two
 * people with different references may use one device.
 */
export const linkOf = (settings: Reference): string => pagePath + refQuery(settings);
