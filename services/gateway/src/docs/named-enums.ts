import {
  DELIVERY_STATES,
  ENDPOINT_STATES,
  LINK_STATUSES,
  LINK_TYPES,
  MEDIA_STATUSES,
  TRANSCRIPT_STATUSES,
  UPLOAD_REFUSALS,
  UPLOAD_STATES,
} from '@recording-request/contract/resources/fields';

const NAMED: Record<string, { values: readonly string[]; description: string }> = {
  TranscriptStatus: {
    values: TRANSCRIPT_STATUSES,
    description: 'How far a transcript is; disabled: transcription was off.',
  },
  MediaStatus: { values: MEDIA_STATUSES, description: 'How far the seekable video, the thumbnails and the audio are.' },
  LinkType: { values: LINK_TYPES, description: 'Single-recipient or reusable.' },
  LinkStatus: { values: LINK_STATUSES, description: 'disabled, exhausted, expired or active: the first that applies.' },
  DeliveryState: { values: DELIVERY_STATES, description: 'What became of a webhook so far.' },
  EndpointState: {
    values: ENDPOINT_STATES,
    description: 'Whether webhooks are sent, or kept until the endpoint is back.',
  },
  UploadState: { values: UPLOAD_STATES, description: 'How far an upload is.' },
  UploadRefusal: { values: UPLOAD_REFUSALS, description: 'Why a take was refused.' },
};
const nameOf = new Map(Object.entries(NAMED).map(([name, { values }]) => [values.join(), name]));

interface Schema {
  enum?: unknown[];
  description?: string;
}

/** Gives each enumeration of the contract a name of its own in a document, so that generated clients have one type for it. Changes it in place. */
export function nameEnums(document: { components?: object; paths?: object }): void {
  name(document.components);
  name(document.paths);
  const named = Object.entries(NAMED).map(([each, { values, description }]) => [
    each,
    { type: 'string', enum: [...values], description },
  ]);
  const components = document.components as { schemas?: object };
  components.schemas = { ...components.schemas, ...Object.fromEntries(named) };
}

function name(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  for (const [key, value] of Object.entries(part as Record<string, Schema>)) {
    const known = Array.isArray(value?.enum) && nameOf.get(value.enum.filter(each => each !== null).join());
    if (known) (part as Record<string, unknown>)[key] = refTo(known, value);
    else name(value);
  }
}

function refTo(known: string, { enum: values, description }: Schema): object {
  const ref = { $ref: `#/components/schemas/${known}` };
  const said = description === undefined ? {} : { description };
  return values?.includes(null) ? { ...said, anyOf: [ref, { type: 'null' }] } : { ...ref, ...said };
}
