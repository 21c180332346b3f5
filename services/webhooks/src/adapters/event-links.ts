import { DomainError } from '@recording-request/kit/errors';
import { createClient } from '@recording-request/kit-rpc/grpc-client';
import type { Peer } from '@recording-request/kit-rpc/internal/internal';
import {
  type GetEventLinkRequest,
  type GetEventLinkResponse,
  type ProjectsServiceServer,
  ProjectsServiceService,
} from '@recording-request/proto/projects/v1/projects';
import { mayRepeat } from '@recording-request/proto/repeatable';

/** Reads the personal data for an event about a link, because Kafka has no personal data. */
export interface EventLinks {
  /** Returns undefined when the link was erased. Rejects when the projects service does not respond. */
  of(link: GetEventLinkRequest, signal: AbortSignal): Promise<GetEventLinkResponse | undefined>;
  close(): void;
}

export function projectEventLinks(address: string, peer: Peer): EventLinks {
  const client = createClient<ProjectsServiceServer>(ProjectsServiceService, address, peer, { mayRepeat });
  return {
    async of(link, signal) {
      try {
        return await client.getEventLink(link, { signal });
      } catch (error) {
        if (error instanceof DomainError && error.code === 'not_found') return undefined;
        throw error;
      }
    },
    close: () => client.close(),
  };
}
