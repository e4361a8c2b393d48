// The player: draws one broadcast at one moment, and moves that moment. Knows the page.

import {
  buildModel, deliveredShare, describeNode, describeState, formatMs, stateAt, stepAfter, stepBefore,
} from "./model.js";
import { SIZE, chord, dotRadius, pointOf } from "./ring.js";

const SVG = "http://www.w3.org/2000/svg";
const PLAY_MS = 6000; // how long a broadcast plays at normal speed, whatever it took

/** Makes the player in `root` work for these broadcasts. */
export function startTimeline(root, broadcasts) {
  const find = (name) => root.querySelector(`[data-part="${name}"]`);
  const parts = Object.fromEntries(
    ["choice", "ring", "play", "back", "forward", "seek", "speed", "time", "status", "node", "curve"]
      .map((name) => [name, find(name)]),
  );
  const player = { model: null, timeUs: 0, isPlaying: false, lastMs: 0, shapes: null };

  const show = (timeUs) => {
    player.timeUs = Math.max(0, Math.min(timeUs, player.model.durationUs));
    draw(player, parts);
  };
  const pause = () => {
    player.isPlaying = false;
    parts.play.textContent = "Play";
    parts.play.setAttribute("aria-pressed", "false");
  };
  const tick = (nowMs) => {
    if (!player.isPlaying) return;
    const passedMs = (nowMs - player.lastMs) * Number(parts.speed.value);
    player.lastMs = nowMs;
    show(player.timeUs + (passedMs / PLAY_MS) * player.model.durationUs);
    if (player.timeUs >= player.model.durationUs) pause();
    else requestAnimationFrame(tick);
  };
  const play = () => {
    if (player.timeUs >= player.model.durationUs) show(0);
    player.isPlaying = true;
    player.lastMs = performance.now();
    parts.play.textContent = "Pause";
    parts.play.setAttribute("aria-pressed", "true");
    requestAnimationFrame(tick);
  };
  const toggle = () => (player.isPlaying ? pause() : play());
  const seek = (timeUs) => {
    pause();
    show(timeUs);
  };
  const choose = () => {
    pause();
    player.model = buildModel(broadcasts[Number(parts.choice.value)]);
    player.shapes = makeShapes(parts.ring, player.model);
    parts.curve.setAttribute("d", curvePath(player.model));
    parts.node.textContent = "Point at a node to read what became of it.";
    show(player.model.durationUs);
  };
  const actions = {
    " ": toggle,
    k: toggle,
    ArrowLeft: () => seek(stepBefore(player.model, player.timeUs)),
    ArrowRight: () => seek(stepAfter(player.model, player.timeUs)),
    Home: () => seek(0),
    End: () => seek(player.model.durationUs),
  };

  broadcasts.forEach((broadcast, index) => {
    parts.choice.append(new Option(broadcast.label, String(index)));
  });
  parts.choice.addEventListener("change", choose);
  parts.play.addEventListener("click", toggle);
  parts.back.addEventListener("click", actions.ArrowLeft);
  parts.forward.addEventListener("click", actions.ArrowRight);
  parts.seek.addEventListener("input", () => {
    seek((Number(parts.seek.value) / 1000) * player.model.durationUs);
  });
  parts.ring.addEventListener("pointerover", (event) => {
    const place = event.target.dataset?.place;
    if (place !== undefined) {
      parts.node.textContent = describeNode(player.model, Number(place), player.timeUs).join("; ");
    }
  });
  root.addEventListener("keydown", (event) => {
    const isField = event.target.matches("select, button") && event.key === " ";
    const action = actions[event.key];
    if (!action || isField || event.target.matches("select") || event.ctrlKey || event.metaKey) {
      return;
    }
    event.preventDefault();
    action();
  });
  choose();
}

// The shapes of one broadcast, made once; drawing only changes their attributes.
function makeShapes(svg, model) {
  svg.replaceChildren();
  const count = model.nodes.length;
  const add = (group, name, attributes) => {
    const shape = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) shape.setAttribute(key, value);
    group.append(shape);
    return shape;
  };
  const edges = add(svg, "g", { class: "edges" });
  const dots = add(svg, "g", { class: "dots" });
  const frames = model.frames.map((frame) =>
    add(edges, "path", { class: `tree-${frame.tree}${frame.isRepair ? " repair" : ""}` }),
  );
  const nodes = model.nodes.map((node) => {
    const [x, y] = pointOf(node.place, count);
    const radius = dotRadius(count) * (node.isOrigin ? 1.8 : node.isStraggler ? 1.3 : 1);
    const dot = add(dots, "circle", { cx: x, cy: y, r: radius, "data-place": node.place });
    if (node.isDead) {
      const arm = Math.max(radius, 4);
      add(dots, "path", {
        class: "cross",
        d: `M${x - arm} ${y - arm}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}`,
      });
    }
    return dot;
  });
  return { frames, nodes };
}

function draw(player, parts) {
  const { model, shapes, timeUs } = player;
  const state = stateAt(model, timeUs);
  model.frames.forEach((frame, index) => {
    const path = chord(frame.sender, frame.receiver, model.nodes.length, state.progress[index]);
    shapes.frames[index].setAttribute("d", path);
    shapes.frames[index].classList.toggle("under-way", state.progress[index] < 1);
  });
  model.nodes.forEach((node, place) => {
    const dot = shapes.nodes[place];
    const kind = node.isOrigin ? "origin" : node.isDead ? "dead" : state.has[place] ? "has" : "lacks";
    const tree = kind === "has" ? ` tree-${node.tree}` : "";
    dot.setAttribute("class", `${kind}${tree}${node.isStraggler ? " straggler" : ""}`);
  });
  parts.seek.value = String(model.durationUs ? Math.round((timeUs / model.durationUs) * 1000) : 0);
  parts.seek.setAttribute("aria-valuetext", formatMs(timeUs));
  const share = (100 * deliveredShare(model, timeUs)).toFixed(1);
  parts.time.textContent = `${formatMs(timeUs)} of ${formatMs(model.durationUs)}, ${share} %`;
  // Read aloud when it stands still, not sixty times a second.
  if (!player.isPlaying) parts.status.textContent = describeState(model, state);
}

// How many have it, over time: a line in a box of 1000 by 40.
function curvePath(model) {
  const others = Math.max(1, model.nodes.length - 1);
  const x = (us) => (model.durationUs ? (1000 * us) / model.durationUs : 0).toFixed(1);
  const points = model.curve.map((us, index) => `H${x(us)}V${(40 - (40 * index) / others).toFixed(2)}`);
  return `M0 40${points.join("")}H1000V40Z`;
}

export const VIEW_BOX = `0 0 ${SIZE} ${SIZE}`;
