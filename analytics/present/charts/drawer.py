"""A process that draws: a line of JSON in, a line of JSON out, until nobody asks for a while.

vl-convert takes 100 MB, keeps something of every drawing, holds the interpreter while it draws and
hangs in a process that was forked after its use. So it is used here alone, in a process that knows
nothing of Django and steps back before those that answer people.
"""

import base64
import json
import os
import select
import sys
from collections.abc import Mapping
from typing import Any

import vl_convert

VEGA_LITE = "6.4"
PIXELS_AN_INCH = 200
STEP_BACK = 5
IDLE = 30.0  # seconds
MOST = 300
_PAGE = b"""
#set document(title: sys.inputs.says, date: none)
#set page(width: auto, height: auto, margin: 0pt)
#image(bytes(sys.inputs.svg), format: "svg", alt: sys.inputs.says)
"""


def main() -> None:
    os.nice(STEP_BACK)
    for _turn in range(MOST):
        is_asked, _, _ = select.select([sys.stdin], [], [], IDLE)
        order = sys.stdin.buffer.readline() if is_asked else b""
        if not order:
            return
        sys.stdout.buffer.write(json.dumps(_answer(json.loads(order))).encode() + b"\n")
        sys.stdout.buffer.flush()


def _answer(order: Mapping[str, Any]) -> Mapping[str, str]:
    try:
        match order["as"]:
            case "svg":
                return {"svg": _svg(order["spec"])}
            case "png":
                png = vl_convert.svg_to_png(order["svg"], ppi=PIXELS_AN_INCH)
                return {"png": base64.b64encode(png).decode()}
            case _:
                return {"pdf": base64.b64encode(_pdf(order["svg"], order["says"])).decode()}
    except (ValueError, RuntimeError) as problem:
        return {"problem": str(problem)}


def _svg(spec: Mapping[str, Any]) -> str:
    """Nothing is fetched from anywhere."""
    return vl_convert.vegalite_to_svg(dict(spec), vl_version=VEGA_LITE, allowed_base_urls=[])


def _pdf(svg: str, says: str) -> bytes:
    """Tagged, with the text alternative, and the same bytes each time: vl-convert's has neither."""
    import typst  # noqa: PLC0415 -- pages need no PDF

    return typst.compile(_PAGE, format="pdf", sys_inputs={"svg": svg, "says": says}, timestamp=0)


if __name__ == "__main__":
    main()
