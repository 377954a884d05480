// The script of the page of "zonemark trace tt": it draws the timelines.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  for (const place of document.querySelectorAll("div.timeline")) {
    place.append(drawing.timeline(data[Number(place.dataset.number)], Math.min(1240, place.clientWidth)));
  }
})();
