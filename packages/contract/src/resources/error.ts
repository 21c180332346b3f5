import Type, { type Static } from 'typebox';
import { resource, text } from './fields.ts';

export const ErrorBody = Type.Object(
  { error: text('One sentence that says what to change.') },
  { $id: 'Error', ...resource },
);
export type ErrorJson = Static<typeof ErrorBody>;
