import { openSeal, seal } from './confirm.ts';
import type { Call } from './tool.ts';
import { oneOf, optional, string, text } from './tool.ts';

/** The argument of every tool that writes. */
export const confirmField = {
  confirm: optional(text(200, 'Absent: a dry run. Otherwise from the dry run of the same arguments')),
};

/** The fields of the result of every tool that writes. */
export const outcomeFields = {
  state: oneOf(['dry_run', 'done']),
  confirm: string,
  next: string,
};
interface Outcome {
  state: 'dry_run' | 'done';
  confirm?: string;
  next: string;
}

/**
 * Carries out a write in two calls. Without `confirm`, `check` changes nothing, and the result has a `confirm` unless
 * `check` returns a `fault`. With it, `write` runs with the arguments that this value seals, at most once: a repeated
 * call gets the first answer.
 */
export async function inTwoCalls<Args extends { confirm?: string }, Result extends object>(
  { host: { token } }: Call,
  tool: string,
  { confirm, ...args }: Args,
  steps: {
    check(): Promise<{ fault?: string; result: Result }>;
    write(idempotencyKey: string): Promise<Result>;
  },
): Promise<Outcome & Result> {
  if (confirm !== undefined) {
    const idempotencyKey = openSeal(token, tool, args, confirm);
    return { state: 'done', next: 'Done.', ...(await steps.write(idempotencyKey)) };
  }
  const { fault, result } = await steps.check();
  if (fault !== undefined) return { state: 'dry_run', next: `Nothing was changed. ${fault}`, ...result };
  const sealed = seal(token, tool, args);
  const next = `Nothing was changed yet. If your user agrees, repeat the same arguments with confirm before ${sealed.expiresAt}.`;
  return { state: 'dry_run', confirm: sealed.confirm, next, ...result };
}
