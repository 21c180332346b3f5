import { DomainError } from '@recording-request/kit/errors';
import { createClient } from '@recording-request/kit-rpc/grpc-client';
import type { Peer } from '@recording-request/kit-rpc/internal/internal';
import { mayRepeat } from '@recording-request/proto/repeatable';
import {
  type Submission,
  type SubmissionsServiceServer,
  SubmissionsServiceService,
} from '@recording-request/proto/submissions/v1/submissions';

/** Reads transcripts that are too long for an event. */
export interface Transcripts {
  /**
   * Returns the texts of a completed transcript; undefined when the submission was erased. Rejects when the submissions
   * service does not respond.
   */
  of(
    submission: Submission,
    signal: AbortSignal,
  ): Promise<Pick<Submission, 'transcriptText' | 'transcriptVtt'> | undefined>;
  close(): void;
}

export function submissionTranscripts(address: string, peer: Peer): Transcripts {
  const client = createClient<SubmissionsServiceServer>(SubmissionsServiceService, address, peer, { mayRepeat });
  return {
    async of({ ownerId, projectId, submissionId }, signal) {
      try {
        const { submission } = await client.getSubmission({ ownerId, projectId, submissionId }, { signal });
        return { transcriptText: submission?.transcriptText, transcriptVtt: submission?.transcriptVtt };
      } catch (error) {
        if (error instanceof DomainError && error.code === 'not_found') return undefined;
        throw error;
      }
    },
    close: () => client.close(),
  };
}
