import { addStyle } from '@recording-request/web-shared/browser/style';
import style from '../people/people.css';

addStyle(style);

export { openPeople, peopleChanged } from '../people/people.ts';
export { loadTexts } from '../people/texts.ts';
