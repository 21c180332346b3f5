import type { Context } from '../../context.ts';

/**
 * Aborts multipart uploads to the store that dead processes left open, because they take space and no listing shows
 * them.
 */
export async function endOpenPuts({
  config,
  log,
  objects,
}: Pick<Context, 'config' | 'log' | 'objects'>): Promise<void> {
  const ended = await objects.endOpenPuts(new Date(Date.now() - config.openPutSeconds * 1_000));
  if (ended > 0) log.info({ ended }, 'Open multipart uploads of dead processes were aborted');
}
