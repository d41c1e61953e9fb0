# What American English writes in another way than en.ftl: dates, and the end of the day.

locale = en_US
date = { $weekday }, { $month } { $day }, { $year }
date-without-year = { $weekday }, { $month } { $day }
plain-date = { $month } { $day }, { $year }
plain-date-without-year = { $month } { $day }
end-of-day = midnight
