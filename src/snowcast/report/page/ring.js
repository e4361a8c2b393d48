// Where things stand on the ring: numbers in, numbers and path strings out. Pure.

export const SIZE = 640;
const CENTRE = SIZE / 2;
const RADIUS = SIZE / 2 - 26;
const DEPTH_LEAST = 0.06; // how far towards the middle a frame to a neighbour goes; 1 is through it

/** Where a node stands: the first at the top, the others clockwise. */
export function pointOf(place, count) {
  const angle = (2 * Math.PI * place) / count - Math.PI / 2;
  return [CENTRE + RADIUS * Math.cos(angle), CENTRE + RADIUS * Math.sin(angle)];
}

/** How large the dots are, so that neighbours do not touch. */
export function dotRadius(count) {
  return Math.max(1.6, Math.min(7, (Math.PI * RADIUS) / count - 0.6));
}

/** The part of a chord that a frame has covered, as an SVG path; empty where it has not left. */
export function chord(sender, receiver, count, progress) {
  if (progress <= 0) return "";
  const [x0, y0] = pointOf(sender, count);
  const [x1, y1] = bendOf(sender, receiver, count);
  const [x2, y2] = pointOf(receiver, count);
  // De Casteljau: the first part of the curve is a curve of the same kind.
  const [ax, ay] = between(x0, y0, x1, y1, progress);
  const [bx, by] = between(x1, y1, x2, y2, progress);
  const [ex, ey] = between(ax, ay, bx, by, progress);
  return `M${round(x0)} ${round(y0)}Q${round(ax)} ${round(ay)} ${round(ex)} ${round(ey)}`;
}

// The farther apart two nodes are, the deeper their chord goes: so the levels of a tree lie apart.
function bendOf(sender, receiver, count) {
  const ahead = (receiver - sender + count) % count;
  const turn = ahead <= count / 2 ? ahead : ahead - count;
  const [x, y] = pointOf(sender + turn / 2, count);
  const depth = Math.min(1, DEPTH_LEAST + Math.sqrt((2 * Math.abs(turn)) / count));
  return between(x, y, CENTRE, CENTRE, depth);
}

function between(x0, y0, x1, y1, share) {
  return [x0 + (x1 - x0) * share, y0 + (y1 - y0) * share];
}

function round(value) {
  return Math.round(value * 10) / 10;
}
