"""Times have 24 hours: “7:57 a.m.” ends in a full stop, and so would the sentence after it. A short
date is the long one, as it is in Chinese: 11/09/2026 is a day in November or one in September."""

TIME_FORMAT = "H:i"
DATE_FORMAT = SHORT_DATE_FORMAT = "N j, Y"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "N j, Y, H:i"
