import { findElements, findOptional } from '@recording-request/web-shared/browser/elements';

/** The elements that the script uses. */
export const elements = findElements({
  fresh: 'p',
  review: 'button',
  banner: 'div',
  endpoint: 'div',
  figures: 'dl',
  clips: 'section',
  filters: 'form',
  q: 'input',
  selected: 'input',
  transcriptStatus: 'select',
  clear: 'a',
  waiting: 'p',
  showWaiting: 'button',
  newer: 'p',
  empty: 'p',
  emptyLinks: 'p',
  grid: 'ul',
  moreProblem: 'p',
  more: 'p',
  people: 'section',
  peopleRoot: 'div',
  links: 'section',
  shared: 'div',
  linkStatus: 'select',
  copyLinks: 'button',
  linksEmpty: 'p',
  linkRows: 'tbody',
  linksNewer: 'p',
  linksProblem: 'p',
  moreLinks: 'p',
  downloads: 'section',
  downloadList: 'ul',
});

/** This element exists only in an interview. */
export const { byPerson } = findOptional({ byPerson: 'input' });
