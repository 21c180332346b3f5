import { DomainError } from '@recording-request/kit/errors';
import { createClient } from '@recording-request/kit/grpc-client';
import type { Peer } from '@recording-request/kit/internal/internal';
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
}

export interface Targets {
  /** Returns undefined when the project no longer exists. Rejects when the projects service does not answer. */
  of(projectId: string, signal?: AbortSignal): Promise<Target | undefined>;
  close(): void;
}

export function projectTargets(address: string, peer: Peer): Targets {
  const client = createClient<ProjectsServiceServer>(ProjectsServiceService, address, peer, { mayRepeat });
  return {
    async of(projectId, signal) {
      try {
        const reply = await client.getWebhookTarget({ projectId }, signal ? { signal } : {});
        const { projectName, webhookUrl, secrets, targetVersion, events } = reply;
        return { projectName, url: webhookUrl, secrets, version: targetVersion, events };
      } catch (error) {
        if (error instanceof DomainError && error.code === 'not_found') return undefined;
        throw error;
      }
    },
    close: () => client.close(),
  };
}
