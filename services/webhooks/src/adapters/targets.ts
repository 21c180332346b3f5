import { callScope } from '@recording-request/kit/call-scope';
import { DomainError } from '@recording-request/kit/errors';
import { FlightCache } from '@recording-request/kit/flight-cache';
import { createClient } from '@recording-request/kit-rpc/grpc-client';
import type { Peer } from '@recording-request/kit-rpc/internal/internal';
import { type ProjectsServiceServer, ProjectsServiceService } from '@recording-request/proto/projects/v1/projects';
import { mayRepeat } from '@recording-request/proto/repeatable';

/** The address to which a project's events are sent. */
export interface Target {
  projectName: string;
  /** "" when the project pushes no events. */
  url: string;
  /** Newest first; two during the day after a rotation. */
  secrets: string[];
  /** Changes whenever the address is set. */
  version: number;
  /** The types of events that the project asks for beside those that always come. */
  events: string[];
  ownerId: string;
}

export interface Targets {
  /** Returns the target as it is now; undefined when the project no longer exists. Rejects when the projects service does not answer. */
  of(projectId: string, signal?: AbortSignal): Promise<Target | undefined>;
  /** The same as it was at most `withinMs` ago, a second by default and at the most: many events of one project ask for it once. */
  recent(projectId: string, withinMs?: number): Promise<Target | undefined>;
  close(): void;
}

/** The oldest answer by which an event is sent. */
const RECENT_MS = 1_000;
const MOST_RECENT = 1_000;

export function projectTargets(address: string, peer: Peer): Targets {
  const client = createClient<ProjectsServiceServer>(ProjectsServiceService, address, peer, { mayRepeat });
  const answers = new FlightCache<Target | undefined>({ ttlMs: RECENT_MS, maxEntries: MOST_RECENT });
  async function of(projectId: string, signal?: AbortSignal): Promise<Target | undefined> {
    try {
      const reply = await client.getWebhookTarget({ projectId }, signal ? { signal } : {});
      const { projectName, webhookUrl, secrets, targetVersion, events, ownerId } = reply;
      return { projectName, url: webhookUrl, secrets, version: targetVersion, events, ownerId };
    } catch (error) {
      if (error instanceof DomainError && error.code === 'not_found') return undefined;
      throw error;
    }
  }
  return {
    of,
    // One answer is for several: neither a signal nor the RPC of who asks first ends it, and the client's deadline does.
    recent: (projectId, withinMs = RECENT_MS) =>
      answers.get(projectId, () => callScope.exit(() => of(projectId)), performance.now() - withinMs),
    close: () => client.close(),
  };
}
