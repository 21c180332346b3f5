// Search on /api/docs: finds operations and resources that contain every word.
const box = document.querySelector('#search');
const entries = [...document.querySelectorAll('article')].map(article => ({
  article,
  link: document.querySelector(`nav a[href="#${article.id}"]`)?.closest('li'),
  text: article.textContent.toLowerCase(),
}));
const groups = document.querySelectorAll('main > section, nav li:has(> ul)');

function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const { article, link, text } of entries) {
    const isFound = words.every(word => text.includes(word));
    article.hidden = !isFound;
    if (link) link.hidden = !isFound;
    if (isFound) found++;
  }
  for (const group of groups) group.hidden = !group.querySelector('article:not([hidden]), ul > li:not([hidden])');
  document.querySelector('#found').textContent = words.length > 0 ? `${found} found` : '';
}

box.addEventListener('input', search);
box.closest('form').addEventListener('submit', event => event.preventDefault());
box.closest('form').hidden = false;
search();
