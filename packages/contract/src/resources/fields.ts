import Type, { type Static, type TSchema } from 'typebox';

/** The version of the interface description and of export.json. */
export const CONTRACT_VERSION = '1.0.0';

export const SCOPES = [
  'profile:read',
  'projects:read',
  'projects:write',
  'links:read',
  'submissions:read',
  'events:read',
  'projects:erase',
] as const;
export type Scope = (typeof SCOPES)[number];

export const TRANSCRIPT_STATUSES = ['pending', 'processing', 'completed', 'failed', 'disabled'] as const;
export type TranscriptStatusName = (typeof TRANSCRIPT_STATUSES)[number];

export const LINK_TYPES = ['unique', 'shared'] as const;
export const LINK_STATUSES = ['active', 'expired', 'exhausted', 'disabled'] as const;
export type LinkStatusName = (typeof LINK_STATUSES)[number];
export const PERSON_STATES = ['invited', 'opened', 'recording', 'sent', 'closed'] as const;
export type PersonStateName = (typeof PERSON_STATES)[number];
export const MEDIA_STATUSES = ['processing', 'ready', 'failed'] as const;
export type MediaStatusName = (typeof MEDIA_STATUSES)[number];
/** How a contributor answered: recorded with the camera, recorded the sound alone, or chose a file. */
export const ANSWER_MODES = ['video', 'audio', 'file'] as const;
export type AnswerModeName = (typeof ANSWER_MODES)[number];
export const isAnswerMode = (word: string | undefined): word is AnswerModeName =>
  (ANSWER_MODES as readonly (string | undefined)[]).includes(word);
export const DELIVERY_STATES = ['pending', 'delivered', 'paused', 'failed', 'erased'] as const;
export const ENDPOINT_STATES = ['active', 'paused'] as const;
export const UPLOAD_STATES = ['uploading', 'finishing', 'landed', 'refused'] as const;
export const UPLOAD_REFUSALS = ['not_video', 'too_long', 'answered'] as const;

/** Refers to a named schema, so that the schema appears only once in openapi.json. */
export const ref = <T extends TSchema & { $id?: string }>(schema: T) =>
  Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` });
export const nullableRef = <T extends TSchema & { $id?: string }>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ anyOf: [{ $ref: `${schema.$id}#` }, { type: 'null' }] });

export const uuid = (description: string) => Type.String({ format: 'uuid', description });
export const uri = (description: string) => Type.String({ format: 'uri', description });
export const dateTime = (description: string) => Type.String({ format: 'date-time', description });
export const text = (description: string) => Type.String({ description });
export const count = (description: string) => Type.Integer({ minimum: 0, description });
export const flag = (description: string) => Type.Boolean({ description });
export const nullableText = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description });
export const nullableInteger = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, description });
export const nullableFormat = (format: 'uuid' | 'uri' | 'date-time', description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format, description });
export const oneOf = <const V extends readonly string[]>(values: V, description: string) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], description });

export const resource = { additionalProperties: false } as const;
