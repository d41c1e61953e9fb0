# The texts that volunteers read: pages, mails, and words of calendar files. The syntax is that of Fluent (projectfluent.org).
#
# Terms: event; shift (a time for which people are needed); place (what a person has on a shift); organizer; sign up, cancel.
# Plain English: short sentences, "you", contractions. A text whose id ends in -html has elements of HTML, others have none.

## Pages

skip-to-main = Skip to main content
# The language and the country, for messengers that show a preview of the page.
locale = en_GB
title-with-problem = Problem: { $title }
title-cancelled = Cancelled: { $title }
# Joins names and titles: "Ada and Ben", "Ada, Ben and Cy".
and = { $before } and { $last }
# The same before a word that begins with the sound of an i. Only Spanish differs.
and-before-i = { $before } and { $last }

## Dates and times

weekday = { $number ->
    [1] Monday
    [2] Tuesday
    [3] Wednesday
    [4] Thursday
    [5] Friday
    [6] Saturday
   *[7] Sunday
}
month = { $number ->
    [1] January
    [2] February
    [3] March
    [4] April
    [5] May
    [6] June
    [7] July
    [8] August
    [9] September
    [10] October
    [11] November
   *[12] December
}
# The day of a month in every date below.
day-of-month = { $number }
date = { $weekday } { $day } { $month } { $year }
date-without-year = { $weekday } { $day } { $month }
# The first day of a range that ends in the same month.
date-without-month = { $weekday } { $day }
plain-date = { $day } { $month } { $year }
plain-date-without-year = { $day } { $month }
# Each of the two is a date as above, with or without its month and year.
date-range = { $first } to { $last }
moment = { $date }, { $clock } { $offset }
opening = { $date } at { $clock }
all-day = all day
end-of-day = 24:00
zone-of-place = { $place } time
times-all-day = { $date }, all day
times-of-day = { $date }, { $start }–{ $end }
times-overnight = { $dates }, { $first-day } { $start } to { $last-day } { $end }
date-and-start = { $date }, { $start }

## The page of an event

looking-for-volunteers-html = { $organization } is looking for volunteers
label-when = When
label-where = Where
label-contact = Contact
online = Online
# After a place.
online-note = (online)
event-cancelled = This event has been cancelled
event-cancelled-text = You can no longer sign up. Thank you to everyone who offered to help.
organizers-reason = The organizer’s reason
shifts = Shifts
shifts-on = Shifts on { $day }
zone-note = All times are in { $zone }.
# Before the time of a shift with a tick box. Read out only.
choose-shift = Choose { $shift },
sign-up-for-html = Sign up<span class="quiet"> for { $shift }, { $start }</span>
sign-up-for-chosen = Sign up for the chosen shifts
places-left = { $capacity ->
    [one] { $left } of { $capacity } place left
   *[other] { $left } of { $capacity } places left
}
places-filled = Places filled
number-filled = { $filled } of { $capacity }
shift-full = Full
shift-over = Over
shift-cancelled = Cancelled
shift-without-sign-up = No sign-up for this shift

# In search results and messengers.
summary = { $date }. { $text }
summary-cancelled = Cancelled. { $date }. { $text }
summary-looking-for-volunteers = { $organization } is looking for volunteers.

# Why nobody can sign up: a heading, and a sentence.
event-over = This event is over
event-over-text = Thank you to everyone who helped.
signups-ahead = Sign-ups open on { $opening }
signups-ahead-text = Please come back then.
signups-closed = Sign-ups are closed
signups-closed-text = No one can sign up for this event at the moment.
no-shifts = No shifts yet
no-shifts-text = There is nothing to sign up for at the moment. Please check again later.
shifts-over = Sign-up has closed
shifts-over-text = Every shift is over.
no-sign-up = No sign-up at the moment
no-sign-up-text = You can’t sign up for these shifts now.
no-places = No places left
no-places-text = If someone cancels, their place will show here.

## Why a form was refused, on the page of the event

choose-a-shift = Choose a shift
choose-a-shift-text = Tick each shift that you want, then select “{ sign-up-for-chosen }”.
choose-fewer = Choose at most { $max } shifts at once
choose-fewer-text = You can sign up for further shifts afterwards.
cannot-sign-up = Sorry, you can’t sign up
cancelled-meanwhile = The organizer cancelled the event while you were filling in the form.
cannot-sign-up-for-these = You can’t sign up for these shifts now
shift-removed-text = The organizer may have removed this shift.
choose-another = Please choose another shift.
some-places-saved = We could only save some of your places
no-places-saved = Sorry, we couldn’t save any places
saved-for-html = Saved for { $people }:
not-saved = Not saved:
shift-and-times-html = { $shift }, { $times }
refused-shift-html = { $shift }, { $times }: { $reason }
mail-about-saved = An email about the places that are saved is on its way to you.
keep-your-place = If you already have a place, you keep it.
keep-your-place-and-mail = If you already have a place, you keep it, and we’ll email you a link to it (at most once an hour).

# For one shift. "People" is 2 or more.
sorry-too-few-places = Sorry, this shift doesn’t have { $people } places left
sorry-full = Sorry, this shift is full
sorry-over = Sorry, this shift is over
sorry-closed = Sorry, you can’t sign up now
sorry-unavailable = Sorry, this shift is no longer available

# For one of several shifts, after its name, day and time.
reason-too-few-places = it doesn’t have { $people } places left
reason-full = it is full
reason-over = it is over
reason-closed = sign-ups are closed
reason-removed = the organizer has removed it
