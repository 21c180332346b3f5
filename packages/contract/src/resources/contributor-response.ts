import Type, { type Static } from 'typebox';
import {
  ANSWER_MODES,
  flag,
  nullableFormat,
  nullableInteger,
  nullableText,
  oneOf,
  resource,
  text,
  UPLOAD_REFUSALS,
  UPLOAD_STATES,
  uuid,
} from './fields.ts';

const responseUpload = Type.Object(
  {
    uploadId: text('The last segment of its upload address.'),
    state: oneOf(UPLOAD_STATES, 'landed: it is a submission now.'),
    incomplete: flag('Whether the take was sent but is incomplete.'),
    error: nullableText('Why it was refused.'),
    errorCode: Type.Unsafe<(typeof UPLOAD_REFUSALS)[number] | null>({
      type: ['string', 'null'],
      enum: [...UPLOAD_REFUSALS, null],
      description: 'The reason as a word for programs.',
    }),
  },
  resource,
);

export const ContributorResponse = Type.Object(
  {
    responseSessionId: uuid(
      "One contributor's pass through the link. Use this id from here on, whatever the request named.",
    ),
    maxDurationSec: Type.Integer({ description: 'Longest clip, in seconds.' }),
    questions: Type.Array(Type.String(), { description: 'In order; empty outside interviews.' }),
    answers: Type.Array(
      Type.Object(
        {
          questionIndex: nullableInteger('null outside interviews, where there is one answer.'),
          submissionId: nullableFormat('uuid', 'null until the answer has landed.'),
          uploads: Type.Array(responseUpload),
        },
        resource,
      ),
    ),
    complete: flag('Whether every answer has landed.'),
    thankYouUrl: nullableFormat('uri', 'The last page of an interview; null outside interviews.'),
    completionCode: nullableText(
      'Eight digits and capital letters, with which the owner finds the response; null until it is complete.',
    ),
    returnUrl: nullableFormat(
      'uri',
      'Where the contributor can go now; null until the response is complete, and where the project names no address.',
    ),
    hasScript: flag('Whether `GET …/script` has a text to read while recording.'),
    answerModes: Type.Array(oneOf(ANSWER_MODES, 'A way to answer.'), {
      description: 'How the contributor may answer.',
    }),
  },
  { $id: 'ContributorResponse', ...resource },
);
export type ContributorResponseJson = Static<typeof ContributorResponse>;
