import { byId } from './dom.ts';
import { linksShown } from './links.ts';

const SECTIONS = ['clips', 'links', 'downloads'] as const;
type Section = (typeof SECTIONS)[number];

const sectionOf = (hash: string): Section => SECTIONS.find(section => hash === `#${section}`) ?? 'clips';

/** Shows the section of the address alone. A clip's address shows it over the clips. */
export function showSection(hash: string): void {
  const now = sectionOf(hash);
  for (const section of SECTIONS) byId(section).hidden = section !== now;
  for (const link of document.querySelectorAll('.sections a')) {
    if (link.getAttribute('href') === `#${now}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  if (now === 'links') linksShown();
}
