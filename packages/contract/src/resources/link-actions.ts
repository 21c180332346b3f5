import Type, { type Static } from 'typebox';
import { LINK_ACTIONS } from '../link-requests.ts';
import { count, flag, nullableText, oneOf, ref, resource, uuid } from './fields.ts';

export const LinkActionResult = Type.Object(
  {
    tokenId: uuid('The link.'),
    done: flag('Whether the action was done, or the link was in that state before.'),
    code: nullableText('Why it was not done: a word of Error-Code, such as not_remindable. null: it was done.'),
    error: nullableText('The same as a sentence.'),
  },
  { $id: 'LinkActionResult', ...resource },
);

export const LinkActions = Type.Object(
  {
    projectId: uuid('The project.'),
    action: oneOf(LINK_ACTIONS, 'The action.'),
    done: count('How many links have `done`.'),
    links: Type.Array(ref(LinkActionResult), { description: 'Each link once, in the order of the request.' }),
  },
  { $id: 'LinkActions', ...resource },
);
export type LinkActionsJson = Static<typeof LinkActions>;
