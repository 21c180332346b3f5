import type { FastifyRequest } from 'fastify';
import { callerNetwork } from '../domain/caller-network.ts';
import type { ProjectRef, Recipient } from './access-kinds.ts';

/** Returns the id of the calling owner. */
export function ownerOf(request: FastifyRequest): string {
  if (!request.owner) throw new Error(`${request.routeOptions.url} uses an owner but does not require one`);
  return request.owner.userId;
}

/** Returns the project of the path or of the dashboard token. Every look-up needs its owner's id. */
export function projectOf(request: FastifyRequest): ProjectRef {
  if (request.dashboard) return request.dashboard;
  return { ownerId: ownerOf(request), projectId: (request.params as { projectId: string }).projectId };
}

export const submissionOf = (request: FastifyRequest): ProjectRef & { submissionId: string } => ({
  ...projectOf(request),
  submissionId: (request.params as { submissionId: string }).submissionId,
});

export const linkOf = (request: FastifyRequest): ProjectRef & { linkId: string } => ({
  ...projectOf(request),
  linkId: (request.params as { tokenId: string }).tokenId,
});

export function recipientOf(request: FastifyRequest): Recipient {
  if (!request.recipient) throw new Error(`${request.routeOptions.url} uses a recipient but does not require one`);
  return request.recipient;
}

/** Returns the key under which the memory of a request is counted: its owner, or else its address. */
export function holderOf(request: FastifyRequest): string {
  const { owner, dashboard, recipient } = request;
  // Reads the address last, because reading it throws when the request's body was dropped and the request has no
  // socket.
  return owner?.userId ?? (dashboard ?? recipient)?.ownerId ?? callerNetwork(request.ip);
}
