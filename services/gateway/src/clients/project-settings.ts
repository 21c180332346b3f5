import { DEFAULTS } from '@recording-request/contract/limits';
import type { CreateProjectInput, UpdateProjectInput } from '@recording-request/contract/requests';
import type { CreateProjectRequest, UpdateProjectRequest } from '@recording-request/proto/projects/v1/projects';

const HOUR = 3_600;
const DAY = 24 * HOUR;

type Window = Pick<CreateProjectInput, 'neverExpire' | 'expiresInHours' | 'expiresInDays'>;

/** `neverExpire: true` wins over hours, hours over days; undefined means never. */
function expirySeconds(window: Window, defaultSeconds: number): number | undefined {
  if (window.neverExpire) return undefined;
  if (window.expiresInHours !== undefined) return window.expiresInHours * HOUR;
  if (window.expiresInDays !== undefined) return window.expiresInDays * DAY;
  return defaultSeconds;
}

/** The request to create a project, every default filled in. */
export function creationOf(
  body: CreateProjectInput,
  expiryDefaultSeconds: number,
): Pick<CreateProjectRequest, 'settings' | 'count' | 'expiresInSeconds' | 'webhookSecret'> {
  const sharedLinkEnabled = body.sharedLinkEnabled ?? false;
  return {
    settings: {
      projectName: body.projectName.trim(),
      maxDurationSec: body.maxDurationSec ?? DEFAULTS.maxDurationSec,
      transcriptionEnabled: body.transcriptionEnabled ?? false,
      transcriptionLanguage: body.transcriptionLanguage,
      noteEnabled: body.noteEnabled ?? false,
      requestUrl: body.requestUrl ?? '',
      webhookUrl: body.webhookUrl ?? '',
      webhookEvents: body.webhookEvents ?? [],
      requireTerms: body.requireTerms ?? false,
      termsLabel: body.termsLabel ?? '',
      termsText: body.termsText ?? '',
      interviewQuestions: body.interviewQuestions ?? [],
      showSuccessDialog: body.showSuccessDialog ?? false,
      successMessage: body.successMessage ?? '',
      sharedLinkEnabled,
      sharedLinkMaxUses: sharedLinkEnabled ? (body.sharedLinkMaxUses ?? DEFAULTS.sharedLinkMaxUses) : undefined,
    },
    count: body.count,
    expiresInSeconds: expirySeconds(body, expiryDefaultSeconds),
    webhookSecret: body.webhookSecret ?? '',
  };
}

/** The request to update a project; what the body leaves out stays as it is. */
export function updateOf(
  body: UpdateProjectInput,
  expiryDefaultSeconds: number,
): Omit<UpdateProjectRequest, 'ownerId' | 'projectId'> {
  return {
    projectName: body.projectName?.trim(),
    maxDurationSec: body.maxDurationSec,
    transcriptionEnabled: body.transcriptionEnabled,
    transcriptionLanguage: body.transcriptionLanguage,
    noteEnabled: body.noteEnabled,
    requestUrl: body.requestUrl,
    webhookUrl: body.webhookUrl,
    webhookSecret: body.webhookSecret,
    webhookEvents: body.webhookEvents && { types: body.webhookEvents },
    requireTerms: body.requireTerms,
    termsLabel: body.termsLabel,
    termsText: body.termsText,
    interviewQuestions: body.interviewQuestions && { questions: body.interviewQuestions },
    showSuccessDialog: body.showSuccessDialog,
    successMessage: body.successMessage,
    sharedLinkMaxUses: body.sharedLinkMaxUses,
    expiry: expiryChange(body, expiryDefaultSeconds),
  };
}

function expiryChange(body: UpdateProjectInput, defaultSeconds: number): UpdateProjectRequest['expiry'] {
  const named = [body.neverExpire, body.expiresInHours, body.expiresInDays].some(value => value !== undefined);
  if (!named) return undefined;
  const seconds = expirySeconds(body, defaultSeconds);
  return seconds === undefined ? { $case: 'neverExpire', value: true } : { $case: 'expiresInSeconds', value: seconds };
}
