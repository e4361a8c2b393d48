// One broadcast as a value, and what is true of it at any moment. Pure: no page, no clock.
//
// A broadcast is what the report hands over:
//   {origin, fanout, hop_timeout_us, nodes: [[name, role, crashed], ...],
//    frames: [[at_us, sender, receiver, tree, hop, first], ...]}
// Nodes are numbered in the order of the ring, times count from the send, frames are in the order
// of their arrival. Without a hop timeout nobody takes another's place. Tree 0 is standard, 1 the
// primary and 2 the secondary of a coloring broadcast.

export const TREE_NAMES = ["standard", "primary", "secondary"];

/** The broadcast, with what follows from it: when each node had it, and how each frame went. */
export function buildModel(broadcast) {
  const nodes = broadcast.nodes.map(([name, role, crashed], place) => ({
    name,
    place,
    isStraggler: role === "straggler",
    isDead: Boolean(crashed),
    isOrigin: place === broadcast.origin,
    firstUs: place === broadcast.origin ? 0 : null,
    parent: null,
    tree: null,
    hop: place === broadcast.origin ? 0 : null,
  }));
  for (const [atUs, sender, receiver, tree, hop, first] of broadcast.frames) {
    const node = nodes[receiver];
    if (first && node.firstUs === null) {
      Object.assign(node, { firstUs: atUs, parent: sender, tree, hop });
    }
  }
  const frames = describeFrames(broadcast, nodes);
  const steps = [...new Set([0, ...frames.map((frame) => frame.atUs)])].sort((a, b) => a - b);
  const curve = nodes
    .filter((node) => node.firstUs !== null)
    .map((node) => node.firstUs)
    .sort((a, b) => a - b);
  return { ...broadcast, nodes, frames, steps, curve, durationUs: steps[steps.length - 1] };
}

// A frame is under way from the moment its sender had the message: until it arrives, the sender
// works on it or the network carries it, and a trace cannot tell which. Children of one node get
// their frames together; what it sends much later, it sends in the place of a silent child.
function describeFrames(broadcast, nodes) {
  const firstSendUs = new Map();
  return broadcast.frames.map(([atUs, sender, receiver, tree, hop, first]) => {
    const key = `${sender}/${tree}`;
    if (!firstSendUs.has(key)) firstSendUs.set(key, atUs);
    const sinceUs = atUs - firstSendUs.get(key);
    const isRepair = broadcast.hop_timeout_us !== null && sinceUs > broadcast.hop_timeout_us / 2;
    const hadUs = Math.min(nodes[sender].firstUs ?? atUs, atUs);
    const fromUs = isRepair ? Math.max(hadUs, firstSendUs.get(key)) : hadUs;
    return { atUs, fromUs, sender, receiver, tree, hop, isFirst: Boolean(first), isRepair };
  });
}

/** What is true at `timeUs`: who has the message, and how far each frame is, from 0 to 1. */
export function stateAt(model, timeUs) {
  const has = model.nodes.map((node) => node.firstUs !== null && node.firstUs <= timeUs);
  const progress = model.frames.map((frame) => {
    if (timeUs >= frame.atUs) return 1;
    if (timeUs <= frame.fromUs) return 0;
    return (timeUs - frame.fromUs) / (frame.atUs - frame.fromUs);
  });
  const arrived = model.frames.filter((frame) => frame.atUs <= timeUs);
  return {
    timeUs,
    has,
    progress,
    delivered: has.filter(Boolean).length - 1,
    frames: arrived.length,
    repairs: arrived.filter((frame) => frame.isRepair).length,
  };
}

/** The next moment at which a frame arrives; the end if there is none. */
export function stepAfter(model, timeUs) {
  return model.steps.find((stepUs) => stepUs > timeUs) ?? model.durationUs;
}

/** The moment before at which a frame arrived; 0 if there is none. */
export function stepBefore(model, timeUs) {
  return model.steps.findLast((stepUs) => stepUs < timeUs) ?? 0;
}

/** The share of the others that have the message at `timeUs`. */
export function deliveredShare(model, timeUs) {
  const count = model.curve.filter((atUs) => atUs <= timeUs).length - 1;
  return model.nodes.length > 1 ? count / (model.nodes.length - 1) : 0;
}

/** The moment in one sentence, for those who do not see the picture. */
export function describeState(model, state) {
  const others = model.nodes.length - 1;
  const dead = model.nodes.filter((node) => node.isDead).length;
  const parts = [
    `${formatMs(state.timeUs)}: ${state.delivered} of ${others} others have the message`,
    `${state.frames} frames have arrived`,
  ];
  if (state.repairs) parts.push(`${state.repairs} of them in the place of a silent node`);
  if (dead) parts.push(`${dead} ${dead === 1 ? "node is" : "nodes are"} dead`);
  return `${parts.join(", ")}.`;
}

/** What there is to say about one node at a moment, a line each. */
export function describeNode(model, place, timeUs) {
  const node = model.nodes[place];
  const lines = [node.name + (node.isOrigin ? ", the origin" : "")];
  if (node.isDead) lines.push("dead, and nobody knows");
  if (node.isStraggler) lines.push("a straggler");
  if (!node.isOrigin && node.firstUs !== null && node.firstUs <= timeUs) {
    const from = model.nodes[node.parent].name;
    const hops = `${node.hop} ${node.hop === 1 ? "hop" : "hops"}`;
    lines.push(`had it after ${formatMs(node.firstUs)}, ${hops}, from ${from}`);
  } else if (!node.isOrigin) {
    lines.push("does not have it");
  }
  const children = model.frames.filter((frame) => frame.sender === place && frame.atUs <= timeUs);
  if (children.length) lines.push(`sent it to ${children.length}`);
  return lines;
}

/** Microseconds as people read them. */
export function formatMs(us) {
  return us < 10_000 ? `${(us / 1000).toFixed(2)} ms` : `${Math.round(us / 1000)} ms`;
}
