import { localTimes } from '../components/time.ts';
import { wireAccess } from './access.ts';
import { settings } from './api.ts';
import { elements } from './elements.ts';
import { wireClips } from './filters.ts';
import { wireLinks } from './links.ts';
import { startLive } from './live.ts';
import { wireNews } from './news.ts';
import { wireReview } from './review.ts';
import { rememberPlace, showSection } from './sections.ts';
import { followHash, wireViewer } from './viewer.ts';

// The owner's page. The server rendered it; this script plays clips, follows the URL and refreshes the page.

function follow(byPage: boolean): void {
  showSection(location.hash);
  void followHash(byPage);
}

function boot(): void {
  document.documentElement.classList.remove('no-script');
  elements.fresh.textContent = '';
  localTimes(document);
  wireAccess();
  wireClips();
  wireNews();
  wireLinks();
  wireReview();
  wireViewer();
  addEventListener('hashchange', () => follow(true));
  addEventListener('keydown', event => {
    const typing = (event.target as Element).closest('input, textarea, select, dialog');
    if (event.key !== '/' || typing || elements.clips.hidden) return;
    event.preventDefault();
    elements.q.focus();
  });
  for (const link of document.querySelectorAll('.sections a')) link.addEventListener('click', rememberPlace);
  follow(false);
  startLive();
  document.title = settings.overview.project.projectName;
  document.documentElement.dataset.ready = 'true';
}

boot();
