import { elements } from './elements.ts';
import { linksShown } from './links.ts';
import { peopleShown } from './people-section.ts';

const SECTIONS = ['clips', 'people', 'links', 'downloads'] as const;
type Section = (typeof SECTIONS)[number];

let shown: Section | undefined;
/** The scroll position of the clips before the reader opened another section. */
let clipsAt = 0;

const sectionOf = (hash: string): Section => SECTIONS.find(section => hash === `#${section}`) ?? 'clips';

/**
 * Shows only the section that the URL names. For a clip's URL, shows the section of the clips, with the clip above it.
 */
export function showSection(hash: string): void {
  const now = sectionOf(hash);
  for (const section of SECTIONS) elements[section].hidden = section !== now;
  for (const link of document.querySelectorAll('.sections a')) {
    if (link.getAttribute('href') === `#${now}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  // The browser has scrolled to the section, so that its title and the navigation are out of view.
  if (shown !== now) scrollTo(0, now === 'clips' ? clipsAt : 0);
  shown = now;
  if (now === 'links') linksShown();
  if (now === 'people') void peopleShown();
}

/** Call this before the URL changes. */
export function rememberPlace(): void {
  if (shown === 'clips') clipsAt = scrollY;
}
