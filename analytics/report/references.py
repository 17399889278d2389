"""The works that a report cites, by what in it follows them."""

from collections.abc import Collection, Mapping

from analytics.measures import NAMES

_OF_STATISTICS: Mapping[str, str] = {
    "icc": (
        "McGraw, K. O., & Wong, S. P. (1996). Forming inferences about some intraclass "
        "correlation coefficients. Psychological Methods, 1(1), 30–46."
    ),
    "kappa": (
        "Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and "
        "Psychological Measurement, 20(1), 37–46."
    ),
    "kappa_": (
        "Cohen, J. (1968). Weighted kappa: nominal scale agreement with provision for scaled "
        "disagreement or partial credit. Psychological Bulletin, 70(4), 213–220."
    ),
    "fleiss": (
        "Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters. "
        "Psychological Bulletin, 76(5), 378–382."
    ),
    "alpha": (
        "Hayes, A. F., & Krippendorff, K. (2007). Answering the call for a standard reliability "
        "measure for coding data. Communication Methods and Measures, 1(1), 77–89."
    ),
    "ac": (
        "Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the presence "
        "of high agreement. British Journal of Mathematical and Statistical Psychology, 61(1), "
        "29–48."
    ),
    "bias": (
        "Bland, J. M., & Altman, D. G. (1986). Statistical methods for assessing agreement "
        "between two methods of clinical measurement. The Lancet, 327(8476), 307–310."
    ),
    "ccc": (
        "Lin, L. I. (1989). A concordance correlation coefficient to evaluate reproducibility. "
        "Biometrics, 45(1), 255–268."
    ),
}
_OF_METHODS: Mapping[str, str] = {
    "pivotal": (
        "Weerahandi, S. (1993). Generalized confidence intervals. Journal of the American "
        "Statistical Association, 88(423), 899–905."
    ),
    "recovery": (
        "Zou, G. Y., & Donner, A. (2008). Construction of confidence limits about effect "
        "measures: a general approach. Statistics in Medicine, 27(10), 1693–1702."
    ),
    "over runs": (
        "Obuchowski, N. A., & Rockette, H. E. (1995). Hypothesis testing of diagnostic accuracy "
        "for multiple readers and multiple tests: an ANOVA approach with dependent observations. "
        "Communications in Statistics – Simulation and Computation, 24(2), 285–308."
    ),
    "jackknife": (
        "Efron, B., & Stein, C. (1981). The jackknife estimate of variance. The Annals of "
        "Statistics, 9(3), 586–596."
    ),
}
_REML = (
    "ten Hove, D., Jorgensen, T. D., & van der Ark, L. A. (2024). Updated guidelines on "
    "selecting an intraclass correlation coefficient for interrater reliability, with "
    "applications to incomplete observational designs. Psychological Methods, 29(5), 967–979."
)
_OF_TABLES: Mapping[str, tuple[str, ...]] = {
    "judges_ceiling": (
        (
            "Dubois, Y., Li, X., Taori, R., Zhang, T., Gulrajani, I., Ba, J., Guestrin, C., "
            "Liang, P., & Hashimoto, T. B. (2023). AlpacaFarm: a simulation framework for "
            "methods that learn from human feedback. Advances in Neural Information Processing "
            "Systems, 36."
        ),
    ),
    "judges_alternative": (
        (
            "Calderon, N., Reichart, R., & Dror, R. (2025). The alternative annotator test for "
            "LLM-as-a-judge: how to statistically justify replacing human annotators with LLMs. "
            "Proceedings of the 63rd Annual Meeting of the Association for Computational "
            "Linguistics, 16051–16081."
        ),
        (
            "Benjamini, Y., & Yekutieli, D. (2001). The control of the false discovery rate in "
            "multiple testing under dependency. The Annals of Statistics, 29(4), 1165–1188."
        ),
    ),
    "judges_strata": (
        (
            "Elangovan, A., Xu, L., Ko, J., Elyasi, M., Liu, L., Bodapati, S., & Roth, D. "
            "(2025). Beyond correlation: the impact of human uncertainty in measuring the "
            "effectiveness of automatic evaluation and LLM-as-a-judge. International Conference "
            "on Learning Representations."
        ),
    ),
    "safety_prevalence": (
        (
            "Rogan, W. J., & Gladen, B. (1978). Estimating prevalence from the results of a "
            "screening test. American Journal of Epidemiology, 107(1), 71–76."
        ),
        (
            "Lang, Z., & Reiczigel, J. (2014). Confidence limits for prevalence of disease adjusted "
            "for estimated sensitivity and specificity. Preventive Veterinary Medicine, 113(1), "
            "13–22."
        ),
    ),
    "trust_tiers": (
        (
            "Badawi, A., et al. (2025). When can we trust LLMs in mental health? Large-scale "
            "benchmarks for reliable LLM evaluation. arXiv:2510.19032."
        ),
    ),
    "powered_means": (
        (
            "Angelopoulos, A. N., Duchi, J. C., & Zrnic, T. (2023). PPI++: efficient "
            "prediction-powered inference. arXiv:2311.01453."
        ),
    ),
    "routing": (
        (
            "Jung, J., Brahman, F., & Choi, Y. (2025). Trust or escalate: LLM judges with "
            "provable guarantees for human agreement. International Conference on Learning "
            "Representations."
        ),
        (
            "Clopper, C. J., & Pearson, E. S. (1934). The use of confidence or fiducial limits "
            "illustrated in the case of the binomial. Biometrika, 26(4), 404–413."
        ),
        (
            "Angelopoulos, A. N., Bates, S., Candès, E. J., Jordan, M. I., & Lei, L. (2025). Learn "
            "then test: Calibrating predictive algorithms to achieve risk control. Annals of "
            "Applied Statistics, 19(2), 1641–1662."
        ),
        (
            "Zou, G. Y., & Donner, A. (2008). Construction of confidence limits about effect "
            "measures: A general approach. Statistics in Medicine, 27(10), 1693–1702."
        ),
    ),
    "plan": (
        (
            "Bonett, D. G. (2002). Sample size requirements for estimating intraclass "
            "correlations with desired precision. Statistics in Medicine, 21(9), 1331–1335."
        ),
    ),
    "plan_variance": (
        "Brennan, R. L. (2001). Generalizability theory. Springer.",
        "Searle, S. R., Casella, G., & McCulloch, C. E. (1992). Variance components. Wiley.",
    ),
}


def works(
    *, statistics: Collection[str], methods: Collection[str], tables: Collection[str]
) -> list[str]:
    """What these statistics, methods of intervals and tables (keys) follow, by author."""
    found = [
        work
        for begin, work in _OF_STATISTICS.items()
        if any(
            name == begin or (begin not in NAMES and name.startswith(begin)) for name in statistics
        )
    ]
    found += [_REML] if any(name.endswith("_reml") for name in statistics) else []
    found += [
        work for word, work in _OF_METHODS.items() if any(word in method for method in methods)
    ]
    found += [work for key in tables for work in _OF_TABLES.get(key, ())]
    return sorted(set(found), key=str.casefold)
