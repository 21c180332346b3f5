import { isDeepStrictEqual } from 'node:util';
import { PRIVATE_SETTINGS, type SettingName, type Settings } from '@recording-request/contract/project-settings';
import { DomainError } from '@recording-request/kit/errors';
import type { Context } from '../context.ts';
import { noSuchProject, type Project, rotateSecret } from '../domain/project.ts';
import { reminderFields } from '../domain/reminders.ts';
import { checkSandbox, expiryWithin } from '../domain/sandbox.ts';
import { sealedFor } from '../domain/sealing.ts';
import { checkExpiry, checkRetention, trimmed } from '../domain/settings-rules.ts';
import { inSeconds } from '../domain/time.ts';
import { projectUpdated } from '../messages.ts';
import type { ProjectChange } from '../store/projects.ts';
import { openUnlessLost } from './open-unless-lost.ts';
import { usesOf } from './uses-of.ts';

/** Undefined and omitted fields do not change. */
export interface ProjectUpdate {
  ownerId: string;
  projectId: string;
  settings: Partial<Settings>;
  /** Seconds from now; `default`: the validity of a project that was created without an expiry. */
  expiry: number | 'never' | 'default' | undefined;
  webhookSecret: string | undefined;
  /** 0 removes it. */
  retentionDays: number | undefined;
}

// A try fails only if another request changes the same setting at the same moment.
const TRIES = 5;

/**
 * Fails with `not_found` or `invalid`; with `forbidden` if the allowance has no room; with `conflict` if other requests
 * keep changing the project.
 */
export async function updateProject(context: Context, update: ProjectUpdate, signal: AbortSignal): Promise<Project> {
  const { store } = context;
  const { ownerId, projectId } = update;
  const { sharedLinkMaxUses } = update.settings;
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await store.projects.find(ownerId, projectId);
    if (!before) throw noSuchProject();
    const change = changeOf(context, update, before);
    await checkSandboxAfter(context, update, before);
    // Validates the whole change first, then changes the number of uses, because the allowance or the link may refuse
    // it. So a refused update changes nothing.
    if (sharedLinkMaxUses !== undefined) {
      const done = await changeUses(context, before, sharedLinkMaxUses, signal);
      if (!done) continue;
    }
    const names = changedBy(change, before);
    const event = names.length > 0 ? projectUpdated(before, names) : undefined;
    const after = await store.projects.update(before, change, event);
    if (after) return after;
  }
  throw new DomainError('conflict', 'The project is being changed by another request: try again in a moment.');
}

/** Fails with `invalid` if the update breaks a limit of a sandbox. */
async function checkSandboxAfter({ store }: Context, { settings }: ProjectUpdate, before: Project): Promise<void> {
  const { settings: now } = before;
  if (!now.sandbox) return;
  const { sharedLinkMaxUses = now.sharedLinkMaxUses } = settings;
  const uses = await usesOf(store, before);
  checkSandbox({ ...now, ...settings, sandbox: true }, uses + sharedLinkMaxUses - now.sharedLinkMaxUses);
}

/** Returns the names of the settings whose values the change really changes, without those that no event may name. */
function changedBy({ settings, expiresAt, secret, retentionDays }: ProjectChange, before: Project): string[] {
  const names = Object.entries(settings).filter(
    ([name, value]) => !isPrivate(name) && !isDeepStrictEqual(value, before.settings[name as SettingName]),
  );
  const expiry = expiresAt !== undefined && expiresAt?.getTime() !== before.expiresAt?.getTime();
  const retention = retentionDays !== undefined && retentionDays !== (before.retentionDays ?? null);
  return [
    ...names.map(([name]) => name),
    ...(expiry ? ['expiresAt'] : []),
    ...(secret ? ['webhookSecret'] : []),
    ...(retention ? ['retentionDays'] : []),
  ];
}

const isPrivate = (name: string): boolean => (PRIVATE_SETTINGS as readonly string[]).includes(name);

/** Returns false if another change was faster: retry. */
async function changeUses(
  { store }: Pick<Context, 'store'>,
  { ownerId, _id: projectId }: Project,
  uses: number,
  signal: AbortSignal,
): Promise<boolean> {
  const link = await store.links.findSharedVersion(ownerId, projectId);
  if (!link) throw new DomainError('invalid', 'sharedLinkMaxUses: this project has no shared link.');
  const outcome = await store.sharedUses.change(link, uses, signal);
  if (outcome === 'refused') {
    const now = await store.links.findShared(ownerId, projectId);
    const used = now ? now.claimed + now.landed : 0;
    throw new DomainError('invalid', `sharedLinkMaxUses must be at least ${used}, the uses that are taken already.`);
  }
  return outcome === 'taken';
}

function changeOf(
  context: Pick<Context, 'config' | 'checks' | 'secrets' | 'clock'>,
  update: ProjectUpdate,
  before: Project,
): ProjectChange {
  const { defaultExpirySeconds } = context.config;
  const now = context.clock.now();
  const { expiry, webhookSecret, retentionDays } = update;
  const fault = context.checks.update({ ...update.settings, ...(webhookSecret !== undefined && { webhookSecret }) });
  if (fault) throw new DomainError('invalid', fault);
  // The number of uses changes together with the link and the allowance.
  const { sharedLinkMaxUses: _, ...settings } = trimmed(update.settings);
  const change: ProjectChange = { settings, addressWasSet: settings.webhookUrl !== undefined };
  if (settings.remind) change.reminding = reminderFields(settings.remind, before.reminders ?? {}, now);
  else if (before.remindAt) change.remindAt = now;
  if (typeof expiry === 'number') checkExpiry(expiry);
  if (expiry !== undefined) {
    const seconds = expiry === 'default' ? defaultExpirySeconds : expiry;
    change.expiresAt = expiryWithin(seconds === 'never' ? null : inSeconds(now, seconds), before);
  }
  if (retentionDays !== undefined) {
    checkRetention(retentionDays, context.config.retentionDays);
    change.retentionDays = retentionDays || null;
  }
  if (webhookSecret !== undefined) {
    change.secret = rotation(context, before, webhookSecret, now);
  }
  return change;
}

/** Returns undefined if the secret stays the same, because a rotation would replace the real former secret. */
function rotation(
  context: Pick<Context, 'config' | 'secrets'>,
  before: Project,
  secret: string,
  now: Date,
): ProjectChange['secret'] {
  const owner = sealedFor.webhook(before._id);
  const sealed = secret === '' ? '' : context.secrets.seal(secret, owner);
  const until = inSeconds(now, context.config.webhookSecretOverlapSeconds);
  const current = before.webhook.secret === '' ? '' : openUnlessLost(context, before.webhook.secret, owner)?.toString();
  // A current secret that cannot be opened is not kept as the former one, because the service would have to sign with
  // it.
  if (current === undefined) return rotateSecret({ secret: '' }, sealed, until);
  return secret === current ? undefined : rotateSecret(before.webhook, sealed, until);
}
