"""Agreement statistics: functions of arrays, without a database, a clock or a setting."""
