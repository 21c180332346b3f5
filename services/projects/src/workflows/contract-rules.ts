import { TRANSCRIPTION_LANGUAGE_RULE, TRANSCRIPTION_LANGUAGES } from '@recording-request/contract/languages';
import { DEFAULTS, LIMITS } from '@recording-request/contract/limits';
import { OPTIONAL_EVENTS } from '@recording-request/contract/webhook-events';
import { isWebhookSecret, WEBHOOK_SECRET_RULE } from '@recording-request/contract/webhook-secret';
import type { Context } from '../context.ts';
import type { SettingsRules } from '../domain/settings-rules.ts';

/** The public contract's rules of settings, as this deployment has them. */
export const contractRules = ({ allowHttpUrls }: Pick<Context['config'], 'allowHttpUrls'>): SettingsRules => ({
  limits: LIMITS,
  defaults: DEFAULTS,
  allowHttp: allowHttpUrls,
  webhookEvents: OPTIONAL_EVENTS,
  languages: { codes: TRANSCRIPTION_LANGUAGES, sentence: TRANSCRIPTION_LANGUAGE_RULE },
  webhookSecret: { isValid: isWebhookSecret, sentence: WEBHOOK_SECRET_RULE },
});
