import type { Context } from '../context.ts';

/** Ends what processes that died left half stored: it fills the store, and nobody sees it. */
export async function endOpenPuts({
  config,
  log,
  objects,
}: Pick<Context, 'config' | 'log' | 'objects'>): Promise<void> {
  const ended = await objects.endOpenPuts(new Date(Date.now() - config.openPutSeconds * 1_000));
  if (ended > 0) log.info({ ended }, 'Objects that no process goes on storing were given up');
}
