"""Numbers to SVG: one module a kind of chart, drawn on the server and coloured by the stylesheet."""
