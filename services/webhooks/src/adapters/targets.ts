import { type InvitedClip, invitationsOf } from '@recording-request/contract/invitations';
import { callScope } from '@recording-request/kit/call-scope';
import { DomainError } from '@recording-request/kit/errors';
import { FlightCache } from '@recording-request/kit/flight-cache';
import { createClient } from '@recording-request/kit-rpc/grpc-client';
import type { Peer } from '@recording-request/kit-rpc/internal/internal';
import {
  type Invitation,
  type ProjectsServiceServer,
  ProjectsServiceService,
} from '@recording-request/proto/projects/v1/projects';
import { mayRepeat } from '@recording-request/proto/repeatable';
import type { Submission } from '@recording-request/proto/submissions/v1/submissions';

/** The address to which the service sends a project's events. */
export interface Target {
  projectName: string;
  /** "" when the project has no address. */
  url: string;
  /** Newest first; there are two secrets during the day after a rotation. */
  secrets: string[];
  /** Changes whenever the address is set, even to the same value. */
  version: number;
  /** The optional event types that the project subscribes to. */
  events: string[];
  ownerId: string;
  /** False if the project has no invitations; then no service requests them. */
  hasInvitations: boolean;
  sandbox: boolean;
}

export interface Targets {
  /**
   * Returns the current target; undefined when the project no longer exists. Rejects when the projects service does not
   * respond.
   */
  of(projectId: string, signal?: AbortSignal): Promise<Target | undefined>;
  /**
   * Returns the target as it was at most `withinMs` ago (default and maximum: one second). Concurrent events of one
   * project share one request.
   */
  recent(projectId: string, withinMs?: number): Promise<Target | undefined>;
  /**
   * Returns the current invitation of the clip's link; undefined without one. Rejects when the projects service does
   * not respond.
   */
  invitationOf(clip: Pick<Submission, 'projectId'> & InvitedClip): Promise<Invitation | undefined>;
  close(): void;
}

/** The maximum age of a cached target. */
const RECENT_MS = 1_000;
const MOST_RECENT = 1_000;

export function projectTargets(address: string, peer: Peer): Targets {
  const client = createClient<ProjectsServiceServer>(ProjectsServiceService, address, peer, { mayRepeat });
  const answers = new FlightCache<Target | undefined>({ ttlMs: RECENT_MS, maxEntries: MOST_RECENT });
  async function of(projectId: string, signal?: AbortSignal): Promise<Target | undefined> {
    try {
      const reply = await client.getWebhookTarget({ projectId }, signal ? { signal } : {});
      const {
        projectName,
        webhookUrl,
        secrets,
        targetVersion,
        events,
        ownerId,
        hasInvitations = false,
        sandbox = false,
      } = reply;
      const about = { projectName, ownerId, hasInvitations, sandbox };
      return { ...about, url: webhookUrl, secrets, version: targetVersion, events };
    } catch (error) {
      if (error instanceof DomainError && error.code === 'not_found') return undefined;
      throw error;
    }
  }
  return {
    of,
    // Several callers share one request, so only the client's deadline may end it, not the signal or RPC of the first
    // caller.
    recent: (projectId, withinMs = RECENT_MS) =>
      answers.get(projectId, () => callScope.exit(() => of(projectId)), performance.now() - withinMs),
    invitationOf: async clip => (await invitationsOf(client, clip.projectId, [clip]))(clip),
    close: () => client.close(),
  };
}
