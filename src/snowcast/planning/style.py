"""How a picture looks: two colours that everybody can tell apart, on light and on dark ground.

The colours are from the palette of Okabe and Ito.
"""

STYLE = """
text { font: 15px "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif; }
text.title { font-size: 26px; font-weight: bold; }
text.under { font-size: 16px; }
text.small { font-size: 13px; }
text.label { font-size: 12px; }
text.strong { font-weight: bold; }
.ground { fill: #ffffff; }
.ink { fill: #1b1f24; }
.faint { fill: #57606a; }
.ring, .rule { fill: none; stroke: #d0d7de; stroke-width: 1; }
.edges { fill: none; stroke-linecap: round; }
.edges.standard, .edges.primary { stroke: #0072b2; }
.edges.secondary { stroke: #d55e00; }
.node { stroke: #ffffff; stroke-width: 0.6; }
.node.standard, .node.primary, .root.standard, .root.primary { fill: #0072b2; }
.node.secondary, .root.secondary { fill: #d55e00; }
.node.both { fill: #a0569b; }
.node.leaf { fill: #8c959f; }
.node.missed { fill: #ffffff; stroke: #1b1f24; stroke-width: 1.5; }
.root { stroke: #1b1f24; stroke-width: 2; }
.lead { stroke: #57606a; stroke-width: 1; }
text.primary, text.standard { fill: #0072b2; }
text.secondary { fill: #b85000; }
@media (prefers-color-scheme: dark) {
  .ground { fill: #0d1117; }
  .ink { fill: #e6edf3; }
  .faint { fill: #9198a1; }
  .ring, .rule { stroke: #30363d; }
  .edges.standard, .edges.primary { stroke: #56b4e9; }
  .edges.secondary { stroke: #e69f00; }
  .node { stroke: #0d1117; }
  .node.standard, .node.primary, .root.standard, .root.primary { fill: #56b4e9; }
  .node.secondary, .root.secondary { fill: #e69f00; }
  .node.both { fill: #cc79a7; }
  .node.leaf { fill: #6e7781; }
  .node.missed { fill: #0d1117; stroke: #e6edf3; }
  .root { stroke: #e6edf3; }
  .lead { stroke: #9198a1; }
  text.primary, text.standard { fill: #56b4e9; }
  text.secondary { fill: #e69f00; }
}
"""
