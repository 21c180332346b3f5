import type { FastifyRequest } from 'fastify';
import { callerNetwork } from '../domain/caller-network.ts';
import type { ProjectRef, Recipient } from './access-kinds.ts';

/** The id of the owner who calls. */
export function ownerOf(request: FastifyRequest): string {
  if (!request.owner) throw new Error(`${request.routeOptions.url} asked for an owner that it did not require`);
  return request.owner.userId;
}

/** The project of the path, or the one that a dashboard token stands for. The owner's id goes into every look-up. */
export function projectOf(request: FastifyRequest): ProjectRef {
  if (request.dashboard) return request.dashboard;
  return { ownerId: ownerOf(request), projectId: (request.params as { projectId: string }).projectId };
}

export const submissionOf = (request: FastifyRequest): ProjectRef & { submissionId: string } => ({
  ...projectOf(request),
  submissionId: (request.params as { submissionId: string }).submissionId,
});

export function recipientOf(request: FastifyRequest): Recipient {
  if (!request.recipient) throw new Error(`${request.routeOptions.url} asked for a recipient that it did not require`);
  return request.recipient;
}

/** Returns the name under which the memory of a request counts: its owner, or else its address. */
export function holderOf(request: FastifyRequest): string {
  const { owner, dashboard, recipient } = request;
  // The address last: a request whose body was given up has no socket, and its address throws.
  return owner?.userId ?? (dashboard ?? recipient)?.ownerId ?? callerNetwork(request.ip);
}
