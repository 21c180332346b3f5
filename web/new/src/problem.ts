/** The part of the form that an error of the API is about. */
export interface Place {
  /** The name of the field; undefined if the error names none. */
  field: string | undefined;
  /** The position in the list of people, from 0. */
  person: number | undefined;
}

// The API's sentences begin with the path of the field: `maxDurationSec must be …`, `recipients/3/email must be …`.
const PATH = /^["'`]?([A-Za-z]\w*)((?:[./[]\w+\]?)*)/;

/** Returns the field that the API's sentence begins with, if the form has it. */
export function placeOf(sentence: string, fields: readonly string[]): Place {
  const [, name = '', rest = ''] = PATH.exec(sentence) ?? [];
  if (name === 'recipients') {
    const index = /\d+/.exec(rest)?.[0];
    return { field: 'people', person: index === undefined ? undefined : Number(index) };
  }
  return { field: fields.includes(name) ? name : undefined, person: undefined };
}
