/* A choice takes effect at once, so its form needs no button: data-behaviour="submit-on-change". */
for (const button of document.querySelectorAll("button[data-behaviour='submit-on-change']")) {
  button.hidden = true;
}

document.addEventListener("change", (event) => {
  if (event.target.matches("select[data-behaviour='submit-on-change']")) event.target.form.submit();
});
