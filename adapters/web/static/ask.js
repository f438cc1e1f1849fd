"use strict";
// Without this script everything works by forms and reloading; with it, answers appear as they are written.
const question = document.getElementById("question");

function watch(growing) {
  const article = growing.closest("article");
  const events = new EventSource(growing.dataset.events);
  events.addEventListener("draft", (event) => { growing.innerHTML = JSON.parse(event.data); });
  events.addEventListener("answer", (event) => {
    events.close();
    article.innerHTML = JSON.parse(event.data);
  });
}

async function press(event) {
  const form = event.target;
  if (form.getAttribute("action") !== "/press" || event.submitter?.value === "export") return;
  event.preventDefault();
  const sent = new FormData(form, event.submitter);
  sent.set("fragment", "1");
  const outcome = form.closest("article")?.querySelector(".outcome") ?? form.parentElement;
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch("/press", { method: "POST", body: sent });
    if (!answer.ok) throw new Error(String(answer.status));
    outcome.innerHTML = await answer.text();
    outcome.querySelector("input:not([type=hidden]), textarea, button")?.focus();
  } catch {
    form.submit();
  } finally {
    form.removeAttribute("aria-busy");
  }
}

document.querySelectorAll("[data-events]").forEach(watch);
document.addEventListener("submit", press);
question?.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  question.form.requestSubmit();
});
