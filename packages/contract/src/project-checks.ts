import type { AddressRule } from './request-fields.ts';
import { createProjectBody, updateProjectBody } from './requests.ts';
import { createFaultFinders, faultsSentence } from './validation.ts';

/** Returns the fault of a body in one sentence; undefined if it is valid. */
type Check = (body: object) => string | undefined;

/**
 * Returns the checks for bodies that create or update a project. The gateway checks each body, and the projects service
 * repeats the check.
 */
export function createProjectChecks(rule: AddressRule): { creation: Check; update: Check } {
  const findFaults = createFaultFinders({ coerce: false });
  const check = (schema: object): Check => {
    const faultsIn = findFaults(schema);
    return body => {
      const faults = faultsIn(body);
      return faults && faultsSentence(faults);
    };
  };
  return { creation: check(createProjectBody(rule)), update: check(updateProjectBody(rule)) };
}
