import type { CreationBody, FormValues } from '../body.ts';
import { creationBody, EMPTY } from '../body.ts';
import { type PastedPeople, readPeople } from '../people.ts';

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export const form = document.getElementById('form') as HTMLFormElement;

export const controlOf = (name: string): Control | undefined =>
  (form.elements.namedItem(name) as Control | null) ?? undefined;

export const FIELDS = Object.keys(EMPTY);

const isTick = (control: Control): control is HTMLInputElement =>
  control instanceof HTMLInputElement && control.type === 'checkbox';

/** Returns the value of a field; false for a checkbox that is not ticked. */
const inputOf = (control: Control): string | boolean => (isTick(control) ? control.checked : control.value);

export function setValue(name: string, value: string | boolean): void {
  const control = controlOf(name);
  if (!control) return;
  if (isTick(control)) control.checked = value === true;
  else control.value = String(value);
}

/** Returns the values of all fields except the token and the secret. */
export function draft(): Record<string, string | boolean> {
  const values: Record<string, string | boolean> = {};
  for (const name of FIELDS) {
    const control = controlOf(name);
    if (control && name !== 'webhookSecret') values[name] = inputOf(control);
  }
  return values;
}

export function emptyForm(): void {
  for (const [name, value] of Object.entries(EMPTY))
    setValue(name, name === 'people' ? '' : (value as string | boolean));
}

export const pastedPeople = (): PastedPeople => readPeople(controlOf('people')?.value ?? '');

/** Returns the body of the creation. */
export function bodyOfForm(people: PastedPeople): CreationBody {
  const values: Record<string, unknown> = { people: people.people };
  for (const name of FIELDS) {
    const control = controlOf(name);
    if (control && name !== 'people') values[name] = inputOf(control);
  }
  return creationBody(values as unknown as FormValues);
}

/** Shows a sentence beside a field, or removes it with "". */
export function showProblem(name: string, sentence: string): void {
  const place = document.getElementById(`${name}-problem`);
  const control = controlOf(name);
  if (!place || !control) return;
  place.textContent = sentence;
  place.hidden = sentence === '';
  if (sentence === '') control.removeAttribute('aria-invalid');
  else control.setAttribute('aria-invalid', 'true');
}

/** Shows the parts that belong to ticked checkboxes. */
export function showParts(): void {
  for (const part of document.querySelectorAll<HTMLElement>('[data-when]')) {
    const control = controlOf(part.dataset.when ?? '');
    part.hidden = !(control && inputOf(control) === true);
  }
}

/** Opens the folded part that has the field, and focuses the field. */
export function focusField(name: string): void {
  const control = controlOf(name);
  const folded = control?.closest('details');
  if (folded) folded.open = true;
  control?.focus();
}
