// What a page does beyond what the server sent: it copies the command line, and says when blocks
// have been sealed since it was made. It changes no figure.

for (const button of document.querySelectorAll("[data-copies]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent);
    button.textContent = "Copied";
  });
}

const news = document.getElementById("news");
let source = null;

function listen() {
  source = new EventSource("events");
  source.addEventListener("sealed", (event) => {
    const last = JSON.parse(event.data).last;
    const more = last === null ? 0 : last - Number(news.dataset.sealed);
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

if (news) {
  document.addEventListener("visibilitychange", look);
  look();
}
