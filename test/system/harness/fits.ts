import assert from 'node:assert/strict';
import * as shapes from './shapes.ts';

const KNOWN = shapes as Record<string, shapes.Shape>;
const isText = (value: unknown): value is string => typeof value === 'string';

const TYPES: Record<string, (value: unknown) => boolean> = {
  null: value => value === null,
  string: isText,
  boolean: value => typeof value === 'boolean',
  integer: value => Number.isInteger(value),
  number: value => Number.isFinite(value),
  uuid: value => isText(value) && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(value),
  'date-time': value => isText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  uri: value => isText(value) && /^https?:\/\//.test(value) && URL.canParse(value),
  texts: value => typeof value === 'object' && value !== null && Object.values(value).every(isText),
  vr_: value => isText(value) && /^vr_[0-9A-Za-z]{38}$/.test(value),
  prj_: value => isText(value) && /^prj_[0-9A-Za-z]{38}$/.test(value),
};

/**
 * Checks a resource against its shape: every field has its type, the fields have the contract's order, and there is no
 * other field. Returns the number of checked fields.
 */
export function fits(value: unknown, name: string, at = name): number {
  const shape = KNOWN[name];
  assert.ok(shape, `there is no shape ${name}`);
  assert.ok(value !== null && typeof value === 'object' && !Array.isArray(value), `${at} is not an object`);
  assert.deepEqual(Object.keys(value), Object.keys(shape), `the fields of ${at}`);
  let seen = 0;
  for (const [field, type] of Object.entries(shape)) {
    seen += 1 + fitsType((value as Record<string, unknown>)[field], type, `${at}.${field}`);
  }
  return seen;
}

function fitsType(value: unknown, type: string, at: string): number {
  if (type.endsWith('[]')) {
    assert.ok(Array.isArray(value), `${at} is not a list`);
    return value.reduce((sum, each, index) => sum + fitsType(each, type.slice(0, -2), `${at}[${index}]`), 0);
  }
  const choices = type.split('|');
  if (value === null && choices.includes('null')) return 0;
  const named = choices.find(choice => choice in KNOWN);
  if (named) return fits(value, named, at);
  const good = choices.some(choice => (TYPES[choice] ? TYPES[choice](value) : value === choice));
  assert.ok(good, `${at} must be ${type}, is ${JSON.stringify(value)?.slice(0, 200)}`);
  return 0;
}
