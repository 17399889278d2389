"""Times have 24 hours: “7:57 a.m.” ends in a full stop, and so would the sentence after it."""

TIME_FORMAT = "H:i"
DATETIME_FORMAT = "N j, Y, H:i"
SHORT_DATETIME_FORMAT = "m/d/Y H:i"
