import { elements } from './elements.ts';
import { linksShown } from './links.ts';

const SECTIONS = ['clips', 'links', 'downloads'] as const;
type Section = (typeof SECTIONS)[number];

let shown: Section | undefined;
/** How far down the clips were when another section took their place. */
let clipsAt = 0;

const sectionOf = (hash: string): Section => SECTIONS.find(section => hash === `#${section}`) ?? 'clips';

/** Shows the section of the address alone. A clip's address shows it over the clips. */
export function showSection(hash: string): void {
  const now = sectionOf(hash);
  for (const section of SECTIONS) elements[section].hidden = section !== now;
  for (const link of document.querySelectorAll('.sections a')) {
    if (link.getAttribute('href') === `#${now}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  // The browser has gone to the section by itself, which takes its name and the way to the others out of sight.
  if (shown !== now) scrollTo(0, now === 'clips' ? clipsAt : 0);
  shown = now;
  if (now === 'links') linksShown();
}

/** Called before the address changes. */
export function rememberPlace(): void {
  if (shown === 'clips') clipsAt = scrollY;
}
