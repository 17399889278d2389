"""Agreement when raters say which other values could be defended too.

That two people differ can have two reasons: the item can be read in both ways, or one of them erred.
Where one finds the other's value defensible, the difference is one that the item allows for; where
neither does, it is not. Soft labels of one rater are used so in Uma and others (2021), Learning from
disagreement, J. Artif. Intell. Res. 72.
"""

import numpy as np
import numpy.typing as npt

from analytics.stats.scales import Floats, ratio


def same_or_defensible(
    ratings: npt.ArrayLike, defensible: npt.ArrayLike, points: npt.ArrayLike
) -> Floats:
    """Of the others who rated the item, the share that gave the same, or whose value the rater finds
    defensible, or who find the rater's so; (n, r), NaN without any.

    `ratings` (n, r); `defensible` (n, r, p), which of the `points` (p,) a rater would defend too.
    """
    values = np.asarray(ratings, dtype=np.float64)
    admitted = np.asarray(defensible, dtype=np.bool_)
    scale = np.asarray(points, dtype=np.float64)
    rated = np.isfinite(values)
    # (n, r, s): whether rater r would defend what rater s gave.
    gave = values[:, :, None] == scale[None, None, :]
    defends = np.einsum("nrp,nsp->nrs", admitted, gave)
    both = rated[:, :, None] & rated[:, None, :]
    alike = (values[:, :, None] == values[:, None, :]) | defends | defends.transpose(0, 2, 1)
    agreed = (alike & both).sum(axis=2) - rated
    others = both.sum(axis=2) - rated
    return np.where(rated, ratio(agreed.astype(np.float64), others.astype(np.float64)), np.nan)
