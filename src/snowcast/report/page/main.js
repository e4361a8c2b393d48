// Brings the page to life from the data inside it.

import { VIEW_BOX, startTimeline } from "./timeline.js";

const root = document.getElementById("timeline");
const broadcasts = JSON.parse(document.getElementById("broadcasts").textContent);

if (root && broadcasts.length) {
  root.querySelector('[data-part="ring"]').setAttribute("viewBox", VIEW_BOX);
  startTimeline(root, broadcasts);
}
