import { filled } from '@recording-request/contract/return-address';
import type { Context } from '../context.ts';
import { codesOf } from '../domain/completion-code.ts';
import type { Response } from '../domain/response.ts';
import { openInvitation, openReference } from './invitations.ts';

type Deps = Pick<Context, 'store' | 'secrets' | 'config'>;

/** The contributor gets these values at the end of a response. */
export interface Completion {
  code: string;
  /** '' if the project has no return address. */
  returnUrl: string;
}

/** Returns the completion of a complete response; undefined for an incomplete one. Repeated calls change nothing. */
export async function completionOf(context: Deps, response: Response): Promise<Completion | undefined> {
  if (!response.complete) return undefined;
  const code = await claimCode(context.store, response);
  const values = {
    code,
    reference: await referenceOf(context, response),
    submissionId: response.answers[0]?.submissionId ?? '',
  };
  return { code, returnUrl: filled(response.settings.returnUrl, name => values[name]) };
}

/**
 * Returns the reference of a response: for a unique link, the owner's own; for a shared link, the one in the address
 * that the contributor opened.
 */
async function referenceOf(context: Deps, response: Response): Promise<string> {
  const { linkId, projectId, solo, settings } = response;
  if (!settings.returnUrl.includes('{reference}')) return '';
  if (!solo) return openReference(context, response);
  const [link] = await context.store.people.invitationsOf(projectId, [linkId]);
  return (link && openInvitation(context, link).person?.reference) ?? '';
}

async function claimCode({ codes }: Context['store'], { _id, projectId }: Response): Promise<string> {
  for (const code of codesOf(_id)) {
    if (await codes.claim(projectId, code, _id)) return code;
  }
  throw new Error(`response ${_id} found no free completion code`);
}
