import { LIMITS } from '@recording-request/contract/limits';
import type { Settings } from '@recording-request/contract/project-settings';
import { DomainError } from '@recording-request/kit/errors';
import { answersExpected, type Project } from './project.ts';

type Limited = Pick<Settings, 'sandbox' | 'maxDurationSec' | 'interviewQuestions'>;

/** Checks the settings of a sandbox with this number of responses; does nothing for other projects. Fails with `invalid`. */
export function checkSandbox(settings: Limited, responses: number): void {
  if (!settings.sandbox) return;
  if (settings.maxDurationSec > LIMITS.sandboxDurationSec)
    throw new DomainError('invalid', `maxDurationSec must be at most ${LIMITS.sandboxDurationSec} in a sandbox.`);
  const clips = responses * answersExpected(settings);
  if (clips > LIMITS.sandboxClips)
    throw new DomainError(
      'invalid',
      `A sandbox takes at most ${LIMITS.sandboxClips.toLocaleString('en')} clips, and this asks for ${clips.toLocaleString('en')}: use fewer links, a smaller sharedLinkMaxUses or fewer interviewQuestions.`,
    );
}

/** Returns the expiry of a project's links; null for never. A sandbox's links expire with it at the latest. */
export function expiryWithin(expiresAt: Date | null, { sandboxEndsAt }: Pick<Project, 'sandboxEndsAt'>): Date | null {
  if (!sandboxEndsAt) return expiresAt;
  return expiresAt && expiresAt < sandboxEndsAt ? expiresAt : sandboxEndsAt;
}

/** Returns the number of videos that `uses` new uses reserve from the allowance: none in a sandbox. */
export const reservedFor = ({ settings }: { settings: Pick<Settings, 'sandbox'> }, uses: number): number =>
  settings.sandbox ? 0 : uses;

export const tooManySandboxes = (nextAt: Date) =>
  new DomainError(
    'forbidden',
    `You have created ${LIMITS.sandboxes} sandboxes in a day, and more are not allowed: use one of them, or create the next one after ${nextAt.toISOString()}.`,
    { reason: 'sandbox_limit' },
  );

/** Returns at most `limit` of the projects, round-robin by owner: first one project of each owner. */
export function roundRobinByOwner<T extends Pick<Project, 'ownerId'>>(projects: readonly T[], limit: number): T[] {
  const turns = new Map<string, number>();
  const ranked = projects.map(project => {
    const turn = turns.get(project.ownerId) ?? 0;
    turns.set(project.ownerId, turn + 1);
    return { project, turn };
  });
  return ranked
    .sort((a, b) => a.turn - b.turn)
    .slice(0, limit)
    .map(({ project }) => project);
}
