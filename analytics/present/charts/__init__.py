"""Charts as Vega-Lite descriptions, one module a kind: the page and paper draw the same one."""
