// The cockpit says when blocks have been sealed since the page was made. It changes no figure by
// itself: what is read stays as it is until somebody asks for the newest.
const news = document.getElementById("news");
const shown = Number(news.dataset.sealed);
let source = null;

function listen() {
  source = new EventSource("events");
  source.addEventListener("sealed", (event) => {
    const last = JSON.parse(event.data).last;
    const more = last === null ? 0 : last - shown;
    news.hidden = more <= 0;
    if (more > 0) {
      news.firstElementChild.textContent =
        more === 1 ? "A block has been sealed since this page was made." : `${more} blocks have been sealed since this page was made.`;
    }
  });
}

// A page that nobody looks at takes no connection.
function look() {
  if (document.hidden) {
    source?.close();
    source = null;
  } else if (source === null) {
    listen();
  }
}

document.addEventListener("visibilitychange", look);
look();
